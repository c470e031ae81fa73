import type { CustomResourceOptions } from "@pulumi/pulumi";
import { definitionOf, isObject, modulesOf, pathFieldsOf, registry } from "@tunnelplane/sdk/contract";
import { expect } from "chai";
import type { Engine } from "../support/engine";
import { oneOfEach } from "../support/oneOfEach";
import { changesOf, requestsDuring, World } from "../support/provider";
import { type Classes, PROVIDERS } from "../support/providers";

type Name = keyof typeof PROVIDERS;
const NAMES = Object.keys(PROVIDERS) as Name[];
const OTHER = { dynamic: "native", native: "dynamic" } as const;

// One stack has the resources of both providers. The cases follow each other on it.
describe("A program with one resource of every class", () => {
  const world = new World();
  /** Which provider makes the resources that another one made first. */
  let isSwapped = false;
  let server: Awaited<ReturnType<World["server"]>>;
  let stack: Engine;
  before("declare everything", async () => {
    server = await world.server();
    stack = await world.stack(server, async () => {
      for (const name of NAMES)
        oneOfEach(isSwapped ? aliased(PROVIDERS[OTHER[name]], OTHER[name]) : PROVIDERS[name], `${name}-`);
    });
  });
  after(() => world.close());

  it("changes nothing in a second run and sends no request, and shows no drift after a refresh", async () => {
    const first = await stack.up();
    const classes = registry.flatMap(({ kind, type }) => [
      type,
      ...modulesOf(definitionOf(kind)).map(
        (name) => type + name.replace(/(^|_)([a-z])/g, (_, __, letter: string) => letter.toUpperCase()),
      ),
    ]);
    for (const name of NAMES) {
      const declared = first.steps.filter((step) => step.name.startsWith(`${name}-`)).map(({ type }) => type);
      const missing = classes.filter((one) => !declared.includes(one));
      expect(missing, "classes that tests/support/oneOfEach.ts does not declare").to.deep.equal([]);
    }
    expect(new Set(first.steps.map(({ op }) => op))).to.deep.equal(new Set(["create"]));

    const requests = await requestsDuring(server, async () =>
      expect(changesOf(await stack.up())).to.deep.equal([]),
    );
    expect(requests).to.deep.equal([]);
    await stack.refresh();
    expect(changesOf(await stack.up())).to.deep.equal([]);
  });

  it("moves to the native provider with nothing changed and its tokens kept, and from it without a write", async () => {
    const tokens = () => stack.resources().filter(({ outputs }) => isObject(outputs?.token)).length;
    const before = stack.resources();
    expect(tokens()).to.equal(2 * NAMES.length);
    const idsOfDynamic = before.flatMap(({ urn, id }) => (/::dynamic-/.test(urn) && id ? id.split("/") : []));

    isSwapped = true;
    const requests = await requestsDuring(server, async () => {
      expect(changesOf(await stack.preview(), "dynamic-")).to.deep.equal([]);
      expect(changesOf(await stack.up(), "dynamic-")).to.deep.equal([]);
    });
    const ofDynamic = requests.filter((request) => idsOfDynamic.some((id) => request.includes(id)));
    expect(ofDynamic, "to the native provider").to.deep.equal([]);
    expect(requests.filter((request) => !/^(GET|PUT) /.test(request))).to.deep.equal([]);
    expect(tokens()).to.equal(2 * NAMES.length);
    await stack.refresh();
    expect(changesOf(await stack.up()), "after a refresh").to.deep.equal([]);
    expect(tokens()).to.equal(2 * NAMES.length);
  });

  it("is destroyed completely", async () => {
    await stack.destroy();
    for (const { path } of registry.filter((definition) => pathFieldsOf(definition).length === 0)) {
      const left = Object.values((await server.rest.get(path)).body).find(Array.isArray) ?? [];
      // The admin's own key, and the project that is there from the start.
      expect(left.length, path).to.equal(path === "/api_keys" || path === "/projects" ? 1 : 0);
    }
  });
});

type Constructor = new (name: string, args: object, options: CustomResourceOptions) => object;

/** Classes whose resources had the types of the native provider before; its own have aliases already. */
function aliased(classes: Classes, name: Name): Classes {
  if (name === "native") return classes;
  return Object.fromEntries(
    Object.entries(classes).map(([type, Class]) => [type, withAlias(type, Class as Constructor)]),
  ) as unknown as Classes;
}

const withAlias = (type: string, Class: Constructor): Constructor =>
  class extends Class {
    constructor(name: string, args: object, options: CustomResourceOptions) {
      super(name, args, { ...options, aliases: [{ type: `tunnelplane:index:${type}` }] });
    }
  };
