import { Validator } from "@seriousme/openapi-schema-validator";
import Ajv2020 from "ajv/dist/2020";
import { COMPILED_PLAINLY } from "../support/promises";
import { ServerProcess } from "../support/server";
import { fetchDocument, runIn, tool, workshop } from "./support";

type Content = Readonly<Record<string, { readonly schema: object; readonly example?: unknown }>>;

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly $ref?: string; readonly content?: Content }>>;
}

describe("/openapi.json, the document for clients,", () => {
  let server: ServerProcess;
  let operations: Operation[];
  // biome-ignore lint/suspicious/noExplicitAny: the test looks into every part of the document
  let document: any;
  before(async () => {
    server = await ServerProcess.start();
    document = await (await fetch(`${server.url}/openapi.json`)).json();
    operations = Object.values(document.paths as Record<string, Record<string, Operation>>).flatMap(
      (methods) => Object.values(methods),
    );
  });

  it("is valid OpenAPI 3.1, and Redocly's recommended rules find nothing to warn of", async () => {
    expect(document.openapi).to.equal("3.1.0");
    expect(await new Validator().validate(structuredClone(document))).to.deep.equal({ valid: true });
    const folder = workshop("lint");
    await fetchDocument(server, folder);
    const report = JSON.parse(
      await runIn(folder, tool("redocly"), ["lint", "openapi.json", "--format", "json"], QUIET),
    );
    expect(report.totals).to.include({ errors: 0, warnings: 0 });
  });

  it("holds the same operations as the document of all that is accepted", async () => {
    const wire = await (await fetch(`${server.url}/openapi-wire.json`)).json();
    const methodsOf = (paths: Record<string, object>) =>
      Object.entries(paths).map(([path, methods]) => [path, Object.keys(methods)]);
    expect(methodsOf(document.paths)).to.deep.equal(methodsOf((wire as typeof document).paths));
  });

  it("gives each operation an id of its own, a group that is described, a summary and a description", () => {
    const ids = operations.map(({ operationId }) => operationId);
    expect(new Set(ids)).to.have.lengthOf(ids.length);
    for (const { tags, summary, description, operationId } of operations) {
      expect(
        document.tags.find(({ name }: { name: string }) => name === tags[0])?.description,
        operationId,
      ).to.be.a("string").that.is.not.empty;
      expect(summary, operationId).to.be.a("string").that.is.not.empty;
      expect(description.length, operationId).to.be.greaterThan(summary.length);
    }
  });

  it("gives every body and every answer an example, which its own schema accepts", () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false, ...COMPILED_PLAINLY });
    ajv.addSchema(document, "openapi");
    const faults = Object.entries(document.paths as Record<string, Record<string, Operation>>).flatMap(
      ([path, methods]) =>
        Object.entries(methods).flatMap(([method, { requestBody, responses }]) => {
          const at = `/paths/${path.replaceAll("/", "~1")}/${method}`;
          const contents: [string, Content | undefined][] = [
            [`${at}/requestBody`, requestBody?.content],
            ...Object.entries(responses).map(([status, { content }]): [string, Content | undefined] => [
              `${at}/responses/${status}`,
              content,
            ]),
          ];
          return contents.flatMap(([place, content]) => {
            if (!content) return [];
            return Object.entries(content).flatMap(([type, { example }]) => {
              if (example === undefined) return [`${place} has no example`];
              const validate = ajv.compile({
                $ref: `openapi#${encodeURI(`${place}/content/${type.replaceAll("/", "~1")}/schema`)}`,
              });
              return validate(example) ? [] : [`${place}: ${ajv.errorsText(validate.errors)}`];
            });
          });
        }),
    );
    expect(faults).to.deep.equal([]);
  });

  it("names the modules' shapes, sent and answered, as the specification does", () => {
    const names = ["Backend", "IPPolicy", "MutualTLS", "TLSTermination", "Policies", "Policy", "Action"].map(
      (name) => `Endpoint${name}`,
    );
    expect(document.components.schemas).to.include.keys(
      "Ref",
      "EventSource",
      "EventTarget",
      "CloudAuth",
      ...names,
      ...names.map((name) => `${name}Mutate`),
    );
    const { TlsEdge, TlsEdgeCreate } = document.components.schemas;
    expect(TlsEdge.properties.backend.anyOf).to.deep.equal([
      { $ref: "#/components/schemas/EndpointBackend" },
      { type: "null" },
    ]);
    expect(TlsEdgeCreate.properties.backend.$ref).to.equal("#/components/schemas/EndpointBackendMutate");
  });

  it("says of each action what its settings are", () => {
    const { oneOf, discriminator } = document.components.schemas.EndpointHTTPActionMutate;
    expect(discriminator.propertyName).to.equal("type");
    const actions = oneOf.map(
      ({ $ref }: { $ref: string }) => document.components.schemas[$ref.split("/").at(-1) as string],
    );
    expect(actions.map((action: typeof document) => action.properties.type.const)).to.have.members([
      ...["deny", "log", "rate-limit", "url-rewrite", "custom-response"],
    ]);
    for (const { properties } of actions)
      for (const setting of Object.values(properties.config.properties))
        expect(setting).to.have.property("description").that.is.not.empty;
  });

  it("has plain types: what may be left out is not required, and takes no other value in place of its own", () => {
    const unions: string[] = [];
    // biome-ignore lint/suspicious/noExplicitAny: schemas of every shape
    const look = (schema: any, place: string): void => {
      if (typeof schema !== "object" || schema === null) return;
      if (schema.title === "left out" || schema.enum?.includes(null) || schema.enum?.includes(""))
        unions.push(place);
      for (const [name, part] of Object.entries(schema)) look(part, `${place}.${name}`);
    };
    for (const [name, schema] of Object.entries(document.components.schemas)) look(schema, name);
    expect(unions).to.deep.equal([]);
    expect(document.components.schemas.IpPolicyRuleCreate.required).to.have.members([
      "ip_policy_id",
      "cidr",
      "action",
    ]);
  });
});

const QUIET = { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
