import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as tunnels from "@tunnelplane/pulumi";
import {
  bare,
  createSchema,
  formatPath,
  marksOf,
  referencesIn,
  registry,
  rename,
} from "@tunnelplane/sdk/contract";
import type { z } from "zod";
import { serverCertificate } from "../support/api/fixtures";
import { Folder, NOBODY } from "../support/catalogue";
import type { Engine } from "../support/engine";
import { changesOf, describeStacks, makeCertificates, makeSshKey, requestsDuring } from "../support/provider";

const EVERYTHING = readFileSync(join(__dirname, "everything.yaml"), "utf8");

/** The fields below a schema that refer to other objects, as `backend.backend_id`. */
const referencesBelow = (schema: z.ZodType, name: string): string[] =>
  marksOf(schema).reference
    ? [name]
    : Object.entries((bare(schema) as z.ZodObject).shape ?? {}).flatMap(([field, inner]) =>
        referencesBelow(inner as z.ZodType, `${name}.${field}`),
      );

const REFERENCES = registry.flatMap(({ kind, fields }) =>
  Object.entries(fields).flatMap(([name, schema]) => referencesBelow(schema, `${kind} ${name}`)),
);

describeStacks("A catalogue in YAML", ({ world, server }) => {
  const folder = new Folder();
  const authorities = {
    clients: makeCertificates("clients").authority,
    partners: makeCertificates("partners").authority,
  };
  const everything = EVERYTHING.replace("PARTNERS", authorities.partners.trim().replaceAll("\n", "\n      "));
  const program = async () => {
    const { tlsEdges, tunnelCredentials } = tunnels.catalogue(folder.catalogue);
    return { hostports: tlsEdges.app?.hostports, authtoken: tunnelCredentials.agent?.token };
  };
  let stack: Engine;
  before(async () => {
    stack = await world.stack(server, program);
    folder.write(makeSshKey(), "agent.pub");
    folder.write(authorities.clients, "ca.pem");
    const { certificate_pem, private_key_pem } = serverCertificate("shop.example.com");
    folder.write(certificate_pem, "shop.pem");
    folder.write(private_key_pem, "shop.key");
  });

  it("declares what it lists, in any order, with names for ids in every kind of reference, and nothing changes the second time", async () => {
    folder.write(everything);
    const { steps } = await stack.up();
    expect(new Set(steps.map(({ op }) => op))).to.deep.equal(new Set(["create"]));
    const resources = stack.resources();
    // A new type belongs into the catalogue above.
    for (const { type } of registry) expect(steps.map((step) => step.type)).to.include(type);
    const ids = new Set(resources.flatMap(({ id }) => id?.split("/") ?? []));
    const found = registry.flatMap((definition) => {
      const schema = createSchema(definition);
      const declared = resources.filter(({ type }) => type.endsWith(`:${definition.type}`));
      return declared
        .flatMap(({ inputs }) => referencesIn(schema, rename(schema, inputs, "wire")))
        .map(({ path, id }) => {
          expect(ids, `${definition.kind} ${formatPath(path)}`).to.include(id);
          return `${definition.kind} ${path.filter((part) => typeof part === "string" && part !== id).join(".")}`;
        });
    });
    // A new field that refers to something belongs into the catalogue above.
    expect([...new Set(found)]).to.have.members(REFERENCES);
    const [weighted] = (await server.rest.get("/backends/weighted")).body.backends;
    expect(Object.values(weighted.backends)).to.have.members([95, 5]);
    const recorded: { urn: string; dependencies?: string[] }[] = JSON.parse(stack.stateFile()).checkpoint
      .latest.resources;
    const guarantee = recorded.find(({ urn }) => urn.includes("Guarantee"));
    expect(guarantee?.dependencies, "made last, deleted first").to.have.length(steps.length - 1);
    const groups = (await server.rest.get("/backends/tunnel_group")).body.backends;
    expect(groups.map(({ labels }: { labels: object }) => labels)).to.deep.include({
      ...{ service: "web", some_key: "8080" },
    });
    const [app] = (await server.rest.get("/edges/tls")).body.tls_edges;
    expect(app.mutual_tls.certificate_authorities).to.have.length(2);
    expect(app.policies.inbound[0].actions[0].config).to.deep.include({
      rate: "1m",
      bucket_key: ["conn.client_ip"],
    });
    const { authtoken, hostports } = stack.outputs();
    expect(authtoken).to.deep.include({ secret: true });
    expect(hostports?.value).to.deep.equal(["app.example.com:443"]);
    const requests = await requestsDuring(server, async () =>
      expect(changesOf(await stack.up())).to.deep.equal([]),
    );
    expect(requests).to.deep.equal([]);
  });

  it("previews an edited value as exactly that property, and deletes an entry that is removed", async () => {
    folder.write(
      everything
        .replace("rate: 1m", "rate: 2m")
        .replace("[partners, clients]", "[clients]")
        .replace("action: allow", "action: deny"),
    );
    expect(
      changesOf(await stack.preview()).filter((change) => !/^(create|delete)/.test(change)),
    ).to.have.members([
      "update app mutualTls.certificateAuthorityIds[0] mutualTls.certificateAuthorityIds[1] policies.inbound[0].actions[0].config.rate",
      "replace berlin action",
    ]);
    folder.write(everything.replace(/ {2}berlin: .*\n/, ""));
    expect(changesOf(await stack.up())).to.deep.equal(["delete berlin"]);
    expect((await server.rest.get("/ip_policy_rules")).body.ip_policy_rules).to.deep.equal([]);
    folder.write("# nothing any more\n");
    await stack.up();
    expect((await server.rest.get("/edges/tls")).body.tls_edges).to.deep.equal([]);
  });

  it("takes options such as an account, ids of objects that exist already, and values and secrets from the stack's configuration; secrets stay encrypted", async () => {
    const { id } = (await server.rest.post("/ip_policies", { description: "theirs" })).body;
    folder.write(`
ipPolicyRules:
  theirs: { ipPolicyId: ${id}, cidr: 192.0.2.0/24, action: allow }
ipPolicies:
  office: { description: !config place, metadata: !secret note }
  guests: { description: !config "other:place" }
`);
    const config = {
      place: { value: "Berlin" },
      "other:place": { value: "Rome" },
      note: { value: "hush-hush-hush", secret: true },
    };
    const program = async () => {
      const account = new tunnels.Account("account", { baseUrl: server.url, apiKey: server.apiKey });
      tunnels.catalogue(folder.catalogue, { provider: account });
    };
    const stack = await world.stack(NOBODY, program, { config });
    const { stdout } = await stack.up();
    const policies = (await server.rest.get("/ip_policies")).body.ip_policies as {
      description: string;
      metadata: string;
    }[];
    expect(policies.map(({ description, metadata }) => [description, metadata])).to.have.deep.members([
      ["Berlin", "hush-hush-hush"],
      ["Rome", ""],
      ["theirs", ""],
    ]);
    const [rule] = (await server.rest.get("/ip_policy_rules")).body.ip_policy_rules;
    expect(rule.ip_policy.id).to.equal(id);
    for (const text of [stack.stateFile(), stdout]) expect(text).not.to.contain("hush-hush");
  });
});
