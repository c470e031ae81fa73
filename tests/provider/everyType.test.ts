import type { CustomResourceOptions } from "@pulumi/pulumi";
import * as dynamic from "@tunnelplane/pulumi";
import { definitionOf, modulesOf, pathFieldsOf, registry } from "@tunnelplane/sdk/contract";
import { expect } from "chai";
import { oneOfEach } from "../support/oneOfEach";
import { changesOf, requestsDuring, World } from "../support/provider";
import { type Classes, native, onEveryProvider } from "../support/providers";

onEveryProvider("A program with one resource of every class", (tunnels) => {
  const world = new World();
  after(() => world.close());

  it("changes nothing in a second run and sends no request, shows no drift after a refresh, and is destroyed completely", async () => {
    const server = await world.server();
    const stack = await world.stack(server, async () => oneOfEach(tunnels));
    const first = await stack.up();
    const classes = registry.flatMap(({ kind, type }) => [
      type,
      ...modulesOf(definitionOf(kind)).map(
        (name) => type + name.replace(/(^|_)([a-z])/g, (_, __, letter: string) => letter.toUpperCase()),
      ),
    ]);
    const declared = first.steps.map(({ type }) => type);
    const missing = classes.filter((name) => !declared.includes(name));
    expect(missing, "classes of which tests/support/oneOfEach.ts declares none").to.deep.equal([]);
    expect(new Set(first.steps.map(({ op }) => op))).to.deep.equal(new Set(["create"]));

    const requests = await requestsDuring(server, async () =>
      expect(changesOf(await stack.up())).to.deep.equal([]),
    );
    expect(requests).to.deep.equal([]);
    await stack.refresh();
    expect(changesOf(await stack.up())).to.deep.equal([]);

    await stack.destroy();
    for (const { path } of registry.filter((definition) => pathFieldsOf(definition).length === 0)) {
      const left = Object.values((await server.rest.get(path)).body).find(Array.isArray) ?? [];
      expect(left.length, path).to.equal(path === "/api_keys" ? 1 : 0); // the admin's own
    }
  });
});

describe("A stack with one resource of every class that changes its provider", () => {
  const world = new World();
  after(() => world.close());

  it("moves to the native provider with nothing changed and its tokens kept, and back without a write", async () => {
    const server = await world.server();
    let classes: Classes = dynamic;
    let isBack = false;
    const stack = await world.stack(server, async () => {
      const aliased = Object.fromEntries(
        Object.entries(classes).map(([name, Class]) => [
          name,
          isBack ? withAlias(name, Class as Constructor) : Class,
        ]),
      );
      oneOfEach(aliased as Classes);
    });
    await stack.up();
    const tokens = async () =>
      (await stack.exportState()).deployment.resources
        .map(({ outputs }: { outputs?: { token?: unknown } }) => JSON.stringify(outputs?.token))
        .filter(Boolean).length;
    const before = await tokens();
    expect(before).to.equal(2);

    classes = native;
    const writes = await requestsDuring(server, async () => {
      expect(changesOf(await stack.preview())).to.deep.equal([]);
      expect(changesOf(await stack.up())).to.deep.equal([]);
    });
    expect(writes).to.deep.equal([]);
    await stack.refresh();
    expect(changesOf(await stack.up()), "after a refresh").to.deep.equal([]);
    expect(await tokens()).to.equal(before);

    classes = dynamic;
    isBack = true;
    const requests = await requestsDuring(server, () => stack.up());
    expect(
      requests.filter((request) => !request.startsWith("GET ") && !request.startsWith("PUT ")),
    ).to.deep.equal([]);
    expect(await tokens()).to.equal(before);
    expect(changesOf(await stack.up())).to.deep.equal([]);
    await stack.destroy();
    expect((await server.rest.get("/edges/https")).body.https_edges).to.deep.equal([]);
  });
});

type Constructor = new (name: string, args: object, options: CustomResourceOptions) => object;

const withAlias = (type: string, Class: Constructor): Constructor =>
  class extends Class {
    constructor(name: string, args: object, options: CustomResourceOptions) {
      super(name, args, { ...options, aliases: [{ type: `tunnelplane:index:${type}` }] });
    }
  };
