import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { commandsInOne } from "../support/commandsInOne";
import { ENVOY, needsEnvoy } from "../support/envoy";
import { newFolder } from "../support/folder";
import { GatewayProcess } from "../support/gateway";
import { tableOf } from "../support/table";
import { authority, enabled, fixed, httpsEdge, jwt, oidc, refs, route, rule, to } from "./worlds";

const CLI = join(__dirname, "../../gateway/dist/cli.js");

describe("tunnelplane-gateway try", () => {
  let folder: string;
  before(function () {
    needsEnvoy(this);
    folder = newFolder();
  });

  const file = (name: string, content: unknown): string => {
    const path = join(folder, name);
    writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
    return path;
  };
  const args = (before: unknown, after: unknown, requests: unknown, ...more: string[]): string[] => [
    "try",
    "--before",
    file("before.json", before),
    "--after",
    file("after.json", after),
    "--requests",
    file("requests.json", { requests }),
    "--envoy",
    String(ENVOY),
    ...more,
  ];

  it("prints for each request what both Envoys answered and what is decided, with certificates, tokens, addresses and sessions of its own", async () => {
    const [{ code, stdout, stderr }] = await run(args(WAS, IS, REQUESTS, "--format", "json"));
    expect([code, stderr]).to.deep.equal([0, ""]);
    const lines = linesIn(stdout);
    expect(lines.map(({ request }) => request)).to.deep.equal(REQUESTS);
    const did = lines.map(({ before, after, agrees }) => [before.envoy.status, after.envoy.status, agrees]);
    expect(did, stdout).to.deep.equal([
      [200, 200, true],
      [null, 200, true],
      [null, 200, true],
      [200, 200, true],
      [401, 200, true],
      [200, 200, true],
      [403, 200, true],
      [200, 403, true],
      [403, 200, true],
      [302, 302, true],
      [200, 200, true],
      [null, null, true],
    ]);
    expect(lines[0]?.before).to.deep.include({ envoy: { status: 200, answered_by: "10.0.0.7:8080" } });
    const said = [lines[0], lines[4]].map((line) => {
      const { outcome, status } = line?.before.said ?? {};
      return [line?.before.envoy.status, outcome, status];
    });
    expect(said).to.deep.equal([
      [200, "answered", null],
      [401, "refused", 401],
    ]);
  });

  it("says the same in words, and what is not served and why", async () => {
    const broken = { objects: [...IS.objects, gone] };
    const asked = [CALLER, { ...CALLER, address: "gone.example.com:443" }];
    const [{ code, stdout, stderr }] = await run(args(WAS, broken, asked));
    expect(stdout).to.contain(
      "agrees: GET app.example.com:443/ from 198.51.100.7\n  before  Envoy: 200 by 10.0.0.7:8080;",
    );
    expect(stdout).to.contain("decided: closed");
    expect(stdout).to.match(/\nEnvoy does what was decided for all 2 requests\.\n$/);
    expect(stderr).to.equal(
      "tunnelplane-gateway: after: edghts_gone is rejected: the backend bkdsc_none does not exist\n",
    );
    expect(code).to.equal(0);
  });

  it("takes objects as programs send them: modules and routes by themselves, references by URN", async () => {
    const sent = tableOf<object>(__dirname, "sent.yaml");
    const asked = [
      { ...CALLER, client_certificate: { authority: "urn:authority" } },
      { ...CALLER, client_certificate: null },
    ];
    const [{ code, stdout }] = await run(args(sent, sent, asked, "--format", "json"));
    const did = linesIn(stdout).map(({ before, agrees }) => [before.envoy.status, agrees]);
    expect([code, did]).to.deep.equal([
      0,
      [
        [200, true],
        [null, true],
      ],
    ]);
  });

  it("fills in what a token or a session leaves out by what the address asks for", async () => {
    const asked = [
      { ...CALLER, path: "/api", token: { issuer: "https://id.example.com" } },
      { ...CALLER, path: "/api", token: { issuer: "https://other.example.com" } },
      { ...CALLER, path: "/in", session: {} },
    ];
    const [{ stdout }] = await run(args(WAS, WAS, asked, "--format", "json"));
    const did = linesIn(stdout).map(({ before, agrees }) => [before.envoy.status, agrees]);
    expect(did).to.deep.equal([
      [200, true],
      [401, true],
      [200, true],
    ]);
  });

  it("ends with 1 where an Envoy does something else than decided", async () => {
    const limit = { "envoy.resource_limits.listener.port 443.connection_limit": 0 };
    const more = { layered_runtime: { layers: [{ name: "more", static_layer: limit }] } };
    const closing = file("envoy", `#!/bin/sh\nexec ${ENVOY} "$@" --config-yaml '${JSON.stringify(more)}'\n`);
    chmodSync(closing, 0o755);
    const [{ code, stdout }] = await run(
      args(WAS, IS, [CALLER], "--format", "json").map((one) => (one === ENVOY ? closing : one)),
    );
    expect([code, linesIn(stdout).map(({ agrees }) => agrees)]).to.deep.equal([1, [false]]);
  });

  it("says what is wrong with its input", async () => {
    const nobody = join(folder, "nobody.json");
    const many = Array.from({ length: 1001 }, () => CALLER);
    const strange = { objects: [{ kind: "https_egde", fields: {} }] };
    const cases: [() => string[], string][] = [
      [() => args(WAS, IS, []), "requests.json holds no request"],
      [() => args(WAS, IS, many), "holds 1001 requests, and a trial has at most 1000"],
      [() => args(WAS, IS, [{ ...CALLER, from: "here" }]), "requests[0].from must be an IP address"],
      [() => args(WAS, IS, [{ ...CALLER, path: "/a b" }]), "requests[0].path holds white space"],
      [() => args(WAS, strange, [CALLER]), 'after.json, objects[0]: there is no kind "https_egde"'],
      [() => args("no JSON", IS, [CALLER]), "before.json could not be read"],
      [() => args(WAS, IS, [CALLER]).map((one) => (one.endsWith("after.json") ? nobody : one)), nobody],
      [
        () => args(WAS, IS, [CALLER]).map((one) => (one === ENVOY ? nobody : one)),
        "Envoy could not be run as",
      ],
    ];
    for (const [command, said] of cases) {
      const [{ code, stderr }] = await run(command());
      expect([code, stderr.includes(said)], stderr).to.deep.equal([1, true]);
    }
  });

  it("leaves no process and no file behind, also where it is killed", async () => {
    const own = join(folder, "tmp");
    mkdirSync(own);
    const [{ code }] = await run(args(WAS, IS, [CALLER]), { TMPDIR: own });
    expect([code, readdirSync(own)]).to.deep.equal([0, []]);
    const asked = Array.from({ length: 1000 }, () => CALLER);
    const killed = GatewayProcess.start(args(WAS, IS, asked, "--format", "json"), { TMPDIR: own });
    while (!killed.out.includes("\n")) await sleep(10);
    expect(processesOf(own)).to.have.length(4);
    await killed.stop("SIGKILL");
    while (readdirSync(own).length > 0 || processesOf(own).length > 0) await sleep(10);
  });

  const run = (command: string[], env?: Record<string, string>) =>
    commandsInOne(CLI, [{ args: command, env }]) as Promise<[Ended]>;
});

type Ended = Awaited<ReturnType<typeof commandsInOne>>[number];
interface Side {
  readonly said: { readonly outcome: string; readonly status: number | null };
  readonly envoy: { readonly status: number | null; readonly answered_by: string | null };
}
interface Line {
  readonly request: object;
  readonly before: Side;
  readonly after: Side;
  readonly agrees: boolean;
}

const linesIn = (text: string): Line[] =>
  text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);

const processesOf = (folder: string): string[] =>
  execFileSync("ps", ["-eo", "args="], { encoding: "utf8" })
    .split("\n")
    .filter((line) => line.includes(`${folder}/tpt-`));

const idOf = ({ kind, fields }: { kind: string; fields: object }) => ({
  kind,
  id: String((fields as { id: string }).id),
  fields,
});

const COMMON = [fixed("bkdsc_web", "10.0.0.7:8080"), rule("ipp_a", "allow", "198.51.100.0/24")];
const office = enabled({ ip_policies: refs("ipp_a") });
const strict = httpsEdge({
  mutual_tls: enabled({ certificate_authorities: refs("ca_a") }),
  routes: [
    route({ id: "edghtsrt_root", backend: to("bkdsc_web") }),
    route({ id: "edghtsrt_api", match: "/api", backend: to("bkdsc_web"), jwt_validation: jwt() }),
    route({ id: "edghtsrt_office", match: "/office", backend: to("bkdsc_web"), ip_restriction: office }),
    route({ id: "edghtsrt_in", match: "/in", backend: to("bkdsc_web"), oidc: oidc() }),
  ],
});
const WITHOUT_SECRET = { client_secret: null };
const open = httpsEdge({
  routes: [
    route({ id: "edghtsrt_root", backend: to("bkdsc_web") }),
    route({
      ...{ id: "edghtsrt_old", match: "/old", backend: to("bkdsc_web") },
      ip_restriction: enabled({ ip_policies: [] }),
    }),
    route({ id: "edghtsrt_in", match: "/in", backend: to("bkdsc_web"), oidc: oidc(WITHOUT_SECRET) }),
  ],
});
const gone = idOf(
  httpsEdge({
    id: "edghts_gone",
    hostports: ["gone.example.com:443"],
    routes: [route({ id: "edghtsrt_gone", backend: to("bkdsc_none") })],
  }),
);
const WAS = { objects: [strict, ...COMMON, authority("ca_a", "-----BEGIN a")].map(idOf) };
const IS = { objects: [open, ...COMMON].map(idOf) };

const CALLER = {
  address: "app.example.com:443",
  from: "198.51.100.7",
  client_certificate: { authority: "ca_a" },
};
const token = (more: object = {}) => ({
  issuer: "https://id.example.com",
  audiences: ["api"],
  algorithm: "RS256",
  keys: "https://id.example.com/jwks",
  at: { method: "header", name: "Authorization", prefix: "Bearer " },
  ...more,
});
const session = { issuer: "https://id.example.com", client_id: "app" };
const REQUESTS = [
  CALLER,
  { ...CALLER, client_certificate: null },
  { ...CALLER, client_certificate: { authority: "other" } },
  { ...CALLER, tls: "1.2", method: "POST", path: "/any?x=y" },
  { ...CALLER, path: "/api" },
  { ...CALLER, path: "/api", token: token() },
  { ...CALLER, path: "/api", token: token({ audiences: ["other"] }) },
  { ...CALLER, path: "/old" },
  { ...CALLER, path: "/office", from: "2001:db8::1" },
  { ...CALLER, path: "/in" },
  { ...CALLER, path: "/in", session },
  { ...CALLER, address: "nobody.example.com:444" },
];
