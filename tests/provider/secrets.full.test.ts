import { globSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { FORMATS, review, write } from "@tunnelplane/pulumi/review";
import { Transport } from "@tunnelplane/sdk";
import {
  createSchema,
  definitionNamed,
  isObject,
  KINDS,
  modulesOf,
  rename,
  secretPathsOf,
} from "@tunnelplane/sdk/contract";
import { targetOf } from "../../provider/src/core";
import { serverCertificate, targets } from "../support/api/fixtures";
import type { Engine } from "../support/engine";
import { type Fate, LossyProxy } from "../support/lossyProxy";
import { failureOf, World } from "../support/provider";
import { NAMES, type Name, PROVIDERS } from "../support/providers";
import { canary, oidc } from "../trust/canaries";

type Json = Record<string, unknown>;
type Target = ReturnType<typeof targetOf>;
/** Where the contract has a secret, of objects and of modules that are resources of their own. */
const PLACES = KINDS.flatMap((kind) => [
  kind,
  ...modulesOf(definitionNamed(kind)).map((name) => `${kind}.${name}`),
])
  .map(targetOf)
  .flatMap((target) => secretPathsOf(target.definition).map((path) => ({ target, path })));
/** How an object comes into the state, and whether it has its secret then. */
const WAYS = ["created", "without", "read", "imported"] as const;
const PUBLIC = "AKIA-is-no-secret";
const planted = new Map<string, string>();
function plant(what: string): string {
  const secret = canary();
  planted.set(secret, what);
  return secret;
}
const API_KEY = plant("the API key");
/** Is no secret to the server. */
const MARKED = "metadata that the program marks";

/** An object with a secret, in one of the ways and of one provider. Its fields have their wire names. */
class Subject {
  readonly name: string;
  #owner: Json = {};
  #id: string | undefined;
  declared: Json;
  imports: boolean;

  constructor(
    readonly provider: Name,
    private readonly target: Target,
    private readonly path: string,
    readonly way: (typeof WAYS)[number],
  ) {
    this.name = [provider, target.definition.type, path, way].join("-").replaceAll(/[._]/g, "-");
    this.declared = this.#fields(way !== "without");
    this.imports = way === "imported";
  }

  #fields(hasSecret: boolean): Json {
    const secret = () => plant(`${this.path} of ${this.name}`);
    const signIn = () => oidc(secret());
    const signature = () => ({ provider: "github", secret: secret() });
    const [first, service = ""] = this.path.split(".");
    switch (this.target.kind) {
      case "https_edge_route.oidc":
        return signIn();
      case "https_edge_route.webhook_verification":
        return signature();
      case "https_edge_route": {
        const at = { match_type: "exact_path", match: `/${this.name}` };
        return {
          ...at,
          ...(hasSecret && (first === "oidc" ? { oidc: signIn() } : { webhook_verification: signature() })),
        };
      }
      case "event_destination": {
        if (!hasSecret) return { target: { stream_service: targets().stream_service } };
        const creds = { cloud_access_key_id: PUBLIC, cloud_secret_access_key: secret() };
        const all: Json = targets({ creds });
        const monitoring_service = {
          ...targets().monitoring_service,
          api_key: creds.cloud_secret_access_key,
        };
        return { target: { [service]: { ...all, monitoring_service }[service] } };
      }
      case "tls_certificate": {
        const pair = serverCertificate();
        for (const line of pair.private_key_pem.split("\n").slice(1, -2))
          planted.set(line, `key of ${this.name}`);
        return pair;
      }
      default: // the server makes it
        return { metadata: this.name };
    }
  }

  get #wire(): Json {
    return { ...this.#owner, ...this.declared };
  }
  get hasShapes(): boolean {
    return ["event_destination", "https_edge_route"].includes(this.target.kind);
  }
  get #isApart(): boolean {
    return this.target.kind.includes(".");
  }

  async prepare(transport: Transport, edge_id: string): Promise<void> {
    const make = (target: Target, desired: Json) =>
      target.create(transport, desired, { isRecorded: async () => false } as never);
    if (this.target.kind.startsWith("https_edge_route")) this.#owner = { edge_id };
    if (this.#isApart) {
      const route = { edge_id, match_type: "exact_path", match: `/${this.name}` };
      const { id } = await make(targetOf("https_edge_route"), route);
      this.#owner.route_id = id.split("/")[1];
    }
    if (this.way !== "read" && this.way !== "imported") return;
    const { id, answer } = await make(this.target, this.#wire);
    this.#id = id;
    if (typeof answer.token === "string") planted.set(answer.token, `token of ${this.name}`);
  }

  /** Somebody else gives it another secret, and with it another shape if it had none. */
  async drift(transport: Transport, id: string): Promise<void> {
    if (!/^(event_destination|https_edge_route)/.test(this.target.kind)) return;
    const fields = this.#fields(true);
    await this.target.update(transport, id, { desired: fields, changed: fields, removed: [] });
  }

  change(): void {
    this.imports = false; // what still has the option cannot be replaced
    if (this.way === "created") this.declared = this.#fields(true);
  }

  declare(): pulumi.CustomResource {
    const { type } = this.target.definition;
    type Class = new (name: string, args: object, options: object) => pulumi.CustomResource;
    const Class = PROVIDERS[this.provider][type as "EventDestination"] as unknown as Class;
    if (this.way === "read") return new Class(this.name, {}, { id: this.#id });
    const args = rename(createSchema(this.target.definition), this.#wire, "camelCase");
    // The engine shows what a program imports before the native provider is asked what is secret.
    return this.imports && this.provider === "native"
      ? new Class(this.name, marked(args) as object, { import: this.#id })
      : new Class(this.name, args, this.imports ? { import: this.#id } : {});
  }
}

/** The same with its secrets marked, as a careful program has it. */
function marked(value: unknown): unknown {
  if (typeof value === "string")
    return [...planted.keys()].some((one) => value.includes(one)) ? pulumi.secret(value) : value;
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, marked(item)]));
}

describe("The secrets of every kind, in a program with both providers", () => {
  const world = new World();
  const subjects = NAMES.flatMap((provider) =>
    PLACES.flatMap(({ target, path }) => WAYS.map((way) => new Subject(provider, target, path, way))),
  ).filter(({ way, hasShapes }) => way !== "without" || hasShapes);
  const printed: Record<string, string> = {};
  let server: Awaited<ReturnType<World["server"]>>;
  let transport: Transport;
  let proxy: LossyProxy;
  let stack: Engine;
  let fateOf: (method: string) => Fate = () => "answered";
  let description = "first";

  before("have some of them on a server, and a program", async () => {
    server = await world.server({
      env: { TUNNELPLANE_BOOTSTRAP_API_KEY: API_KEY },
      args: ["--log-level", "debug"],
    });
    transport = new Transport({ baseUrl: server.url, apiKey: API_KEY });
    const { body: edge } = await transport.request<{ id: string }>("POST", "/edges/https", {});
    for (const subject of subjects) await subject.prepare(transport, edge.id);
    proxy = await LossyProxy.start(server.url, ({ method = "" }) => fateOf(method));
    const metadata = plant(MARKED);
    stack = await world.stack({ url: proxy.url, apiKey: API_KEY }, async () => {
      for (const name of NAMES) {
        const { Account, TunnelCredential } = PROVIDERS[name];
        const provider = new Account(`${name}-account`, { baseUrl: proxy.url, apiKey: API_KEY });
        new TunnelCredential(
          `${name}-marked`,
          { metadata: pulumi.secret(metadata), description },
          { provider },
        );
      }
      const declared = subjects.map((subject) => [subject.name, subject.declare()] as const);
      const ids = pulumi.all(Object.fromEntries(declared.map(([name, { id }]) => [name, id])));
      const tokens = declared.map(([, one]) => (one as { token?: pulumi.Output<string> }).token);
      return { ids, tokens: pulumi.all(tokens) };
    });
  });
  after(() => transport.close());

  const show = async (name: string, text: string | Promise<string>) => {
    printed[name] = await text;
  };
  async function previewAs(name: string): Promise<void> {
    const { stdout } = await stack.preview({ diff: true });
    await show(`${name}: preview --diff`, stdout);
    const json = await stack.previewJson();
    await show(`${name}: preview --json`, json);
    for (const format of FORMATS) await show(`${name}: review as ${format}`, write(review(json), format));
  }
  const noteTokens = () => {
    for (const token of stack.outputs().tokens?.value as (string | null)[])
      if (token) planted.set(token, "a token that the server made");
  };
  function found(): string[] {
    const places = { ...printed };
    for (const file of globSync("**/*", { cwd: stack.folder, exclude: ["node_modules"] }).map((one) =>
      join(stack.folder, one),
    ))
      if (statSync(file).isFile()) places[file] = readFileSync(file, "latin1");
    for (const file of readdirSync(server.data))
      places[file] = readFileSync(join(server.data, file), "latin1");
    places.events = stack.events.join("\n");
    places["the server's log"] = server.log;
    for (const [place, text] of Object.entries(printed)) expect(text, place).not.to.equal("");
    return Object.entries(places).flatMap(([place, text]) =>
      [...planted]
        .filter(
          ([secret, what]) =>
            text.includes(secret) && !(what === MARKED && place.startsWith("tunnelplane.db")),
        )
        .map(
          ([secret, what]) =>
            `${what} in ${place}: …${text.slice(text.indexOf(secret) - 80, text.indexOf(secret))}`,
        ),
    );
  }

  it("are in clear in no state, output, event, review or log when objects are created, read and imported", async () => {
    await previewAs("first");
    await show("up --diff", (await stack.up({ diff: true })).stdout);
    noteTokens();
    expect(stack.stateFile()).to.contain(PUBLIC).and.contain("ciphertext");
    expect(found()).to.deep.equal([]);
  });

  it("nor when they change, and when an update fails after it was carried out", async () => {
    for (const subject of subjects) subject.change();
    description = "second";
    await previewAs("changed");
    fateOf = (method) => (method === "GET" ? "answered" : "answer lost");
    await show("failed up", failureOf(stack.up({ diff: true, continueOnError: true })));
    expect(found()).to.deep.equal([]);
    fateOf = () => "answered";
    const { stderr } = await stack.up({ diff: true, logToStdErr: true, logVerbosity: 9 });
    // At this level the engine itself logs each call with its secrets. The rest is what providers say.
    await show("logs", stderr.replaceAll(/^\{"time":.*"v":\d+\}$/gm, ""));
    expect(stderr).to.match(/"v":9\}$/m);
    noteTokens();
    expect(found()).to.deep.equal([]);
  });

  it("nor when they drift, within their field or with another shape", async () => {
    const ids = stack.outputs().ids?.value as Record<string, string>;
    for (const subject of subjects) await subject.drift(transport, ids[subject.name] as string);
    const { stdout } = await stack.preview({ refresh: true, diff: true });
    await show("preview --refresh --diff", stdout);
    expect(stdout).to.contain("[secret]").and.contain(PUBLIC);
    await show("refresh", (await stack.refresh()).stdout);
    await previewAs("drifted");
    expect(found()).to.deep.equal([]);
  });

  it("nor when everything is replaced, and exported", async () => {
    await show(
      "up --replace",
      (await stack.up({ diff: true, replace: stack.resources().map(({ urn }) => urn) })).stdout,
    );
    noteTokens();
    await show("export", stack.exported());
    expect(found()).to.deep.equal([]);
  });
});
