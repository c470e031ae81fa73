import { Validator } from "@seriousme/openapi-schema-validator";
import { definitionOf, marksOf, modulesOf, registry, removablesOf } from "@tunnelplane/sdk/contract";
import { onOneDatabase } from "../support/databases";
import { Rest } from "../support/rest";
import type { ServerProcess } from "../support/server";

onOneDatabase("The OpenAPI document of all that is accepted", (start) => {
  let server: ServerProcess;
  // biome-ignore lint/suspicious/noExplicitAny: the test looks into every part of the document
  let document: any;
  before(async () => {
    server = await start();
    document = await (await fetch(`${server.url}/openapi-wire.json`)).json();
  });

  it("is valid OpenAPI 3.1", async () => {
    expect(document.openapi).to.equal("3.1.0");
    expect(await new Validator().validate(structuredClone(document))).to.deep.equal({ valid: true });
  });

  // tests/api/rights.full.test.ts names each of the others.
  it("has every path and method of every resource type", () => {
    const expected = registry.flatMap(({ kind, path, fields }) => [
      `${path}: get post`,
      `${path}/{id}: delete get patch`,
      ...removablesOf(definitionOf(kind)).map(({ name }) => `${path}/{id}/${name}: delete`),
      ...modulesOf(definitionOf(kind)).map((module) => `${path}/{id}/${module}: delete get put`),
      ...Object.entries(fields).flatMap(([name, schema]) => {
        const { entries } = marksOf(schema);
        return entries
          ? [`${path}/{id}/${name}: get post`, `${path}/{id}/${name}/{${entries.key}}: delete get`]
          : [];
      }),
    ]);
    const documented = Object.entries(document.paths).map(
      ([path, methods]) =>
        `${path}: ${Object.keys(methods as object)
          .sort()
          .join(" ")}`,
    );
    expect(documented).to.include.members(expected);
  });

  it("describes the body of each creation, with limits, defaults and descriptions", () => {
    const { TlsEdgeCreate, TlsEdge, TunnelCredential } = document.components.schemas;
    expect(TlsEdgeCreate.additionalProperties).to.equal(false);
    expect(TlsEdgeCreate.properties.description.default).to.equal("");
    expect(TlsEdgeCreate.properties.description.anyOf[0]).to.include({ type: "string", "x-max-bytes": 255 });
    expect(TlsEdge.required).to.include.members(["id", "uri", "created_at", "backend"]);
    expect(TunnelCredential.properties.token.description).to.contain("one-time secret");
    for (const schema of Object.values(TlsEdge.properties))
      expect(schema).to.have.property("description").that.is.not.empty;
  });

  it("states the limit of every text, list and map in requests", () => {
    const unlimited: string[] = [];
    // biome-ignore lint/suspicious/noExplicitAny: schemas of every shape
    const look = (schema: any, place: string): void => {
      if (schema.type === "string" && !schema.enum && !schema.const && !schema.maxLength)
        unlimited.push(place);
      if (schema.type === "array" && !schema.maxItems) unlimited.push(place);
      if (schema.type === "object" && !schema.properties && !schema.maxProperties) unlimited.push(place);
      if (schema.items) look(schema.items, `${place}[]`);
      for (const part of [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])])
        look(part, place);
      for (const name of ["propertyNames", "additionalProperties"])
        if (typeof schema[name] === "object") look(schema[name], `${place}{}`);
      for (const [name, property] of Object.entries(schema.properties ?? {}))
        look(property, `${place}.${name}`);
    };
    const sent = Object.keys(document.components.schemas).filter((name) =>
      /(Create|Update|Replace)$/.test(name),
    );
    expect(sent.length).to.be.greaterThan(40);
    for (const name of sent) look(document.components.schemas[name], name);
    expect(unlimited).to.deep.equal([]);
  });

  it("lists the possible errors of each operation, with their codes", async () => {
    const { responses } = document.paths["/edges/tls/{id}"].patch;
    expect(responses["409"].description).to.contain("TP_1501");
    const refused = await new Rest(server.url, server.apiKey).patch("/edges/tls/edgtls_x", {});
    expect(responses[refused.status].description).to.contain(refused.body.error_code);
  });
});
