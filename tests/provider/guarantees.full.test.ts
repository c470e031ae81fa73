import type { Resource } from "@pulumi/pulumi";
import { Folder } from "../support/catalogue";
import type { Engine } from "../support/engine";
import { changesOf, describeStacks, failureOf, saidDuring } from "../support/provider";
import { type Classes, everywhere, NAMES, type Name } from "../support/providers";

const env = { TUNNELPLANE_VALIDATE_ON_SERVER: "true" };
/** `before`: the office's rule protects the admin pages; after it they have a policy of their own. */
type Order = "before" | "wrongly" | "rightly";

/** The same objects as a catalogue, where the order does not matter. */
const catalogue = (host: string, { rule, admin }: { rule: string; admin: string }): string => `
ipPolicies: { office: {}, strict: {} }
ipPolicyRules:
  office: { ipPolicyId: office, cidr: ${rule}, action: allow }
httpResponseBackends:
  ok: { statusCode: 204 }
httpsEdges:
  site: { hostports: ["${host}:443"] }
httpsEdgeRoutes:
  admin:
    edgeId: site
    matchType: path_prefix
    match: /admin
    backend: { backendId: ok }
    ipRestriction: { ipPolicyIds: [${admin}] }
guarantees:
  admin: { expect: refused, addresses: ["${host}:443/admin"], exceptNetworks: [10.0.0.0/8], description: as a set }
`;
const BEFORE = { rule: "10.0.0.0/8", admin: "office" };
const AFTER = { rule: "0.0.0.0/0", admin: "strict" };

describeStacks("A program with guarantees", ({ world, server }) => {
  const folders = new Map(NAMES.map((name) => [name, new Folder()]));
  const imported = new Map<Name, string>();
  let stack: Engine;
  let order: Order = "before";
  let isProtectedByToken = false;
  let isOpened = false;

  before("start a server", async () => {
    for (const name of NAMES) {
      const addresses = [`${name}-later.example.org:443`];
      const made = await server.rest.post("/guarantees", { expect: "refused", addresses, mode: "report" });
      imported.set(name, made.body.id);
      folders.get(name)?.write(catalogue(`${name}-set.example.org`, BEFORE));
    }
    const program = everywhere(declare);
    stack = await world.stack(server, program, { env });
  });

  function declare(name: Name, tunnels: Classes): void {
    const host = `${name}.example.org`;
    const office = new tunnels.IpPolicy(`${name}-office`);
    const strict = new tunnels.IpPolicy(`${name}-strict`);
    const ok = new tunnels.HttpResponseBackend(`${name}-ok`, { statusCode: 204 });
    const site = new tunnels.HttpsEdge(`${name}-site`, { hostports: [`${host}:443`] });
    const common = { edgeId: site.id, matchType: "path_prefix" as const, backend: { backendId: ok.id } };
    const only = (policy: typeof office) => ({ ipRestriction: { ipPolicyIds: [policy.id] } });
    const adminPages = (dependsOn: Resource[]) =>
      new tunnels.HttpsEdgeRoute(
        `${name}-admin`,
        { ...common, match: "/admin", ...only(order === "before" ? office : strict) },
        { dependsOn },
      );
    const rule = (dependsOn: Resource[]) =>
      new tunnels.IpPolicyRule(
        `${name}-rule`,
        { ipPolicyId: office.id, cidr: order === "before" ? "10.0.0.0/8" : "0.0.0.0/0", action: "allow" },
        { dependsOn },
      );
    const first = order === "wrongly" ? rule([]) : adminPages([]);
    const second = order === "wrongly" ? adminPages([first]) : rule([first]);
    const token = {
      issuer: { allowList: [{ value: "https://id.example.org" }] },
      audience: { allowList: [{ value: "api" }] },
      http: { tokens: [{ type: "jwt" as const, method: "header" as const, name: "Authorization" }] },
      jws: {
        allowedAlgorithms: ["RS256" as const],
        keys: { sources: { additionalJkus: ["https://id.example.org/jwks"] } },
      },
    };
    const api = new tunnels.HttpsEdgeRoute(`${name}-api`, {
      ...common,
      match: "/api",
      ...(isProtectedByToken ? { jwtValidation: token } : isOpened ? {} : only(strict)),
    });
    new tunnels.Guarantee(
      `${name}-guarded`,
      {
        ...{ description: `only the office reaches ${host}`, expect: "refused" },
        ...{ addresses: [`${host}:443`], exceptNetworks: ["10.0.0.0/8"], token: "none" },
      },
      { dependsOn: [first, second, api] },
    );
    const watched = new tunnels.HttpsEdge(`${name}-watched`, {
      hostports: [`${name}-watched.example.org:443`],
    });
    const health = isOpened
      ? []
      : [new tunnels.HttpsEdgeRoute(`${name}-health`, { ...common, edgeId: watched.id, match: "/health" })];
    new tunnels.Guarantee(
      `${name}-monitored`,
      {
        ...{ description: `the monitor reaches ${name}-watched`, expect: "answered" },
        ...{ addresses: [`${name}-watched.example.org:443/health`], methods: ["GET"] },
      },
      { dependsOn: health },
    );
    const mode = "report" as const;
    const later = { expect: "refused" as const, addresses: [`${name}-later.example.org:443`], mode };
    new tunnels.Guarantee(`${name}-later`, later, { import: imported.get(name) });
    new tunnels.Guarantee(`${name}-nowhere`, {
      description: "nowhere",
      expect: "refused",
      addresses: [`*.${name}.nowhere.example.org:*`],
    });
    const answered = { expect: "answered" as const, addresses: [`${host}:443/api`], mode };
    new tunnels.Guarantee(`${name}-broken`, answered, { dependsOn: api });
    new tunnels.CatalogueSet(`${name}-set`, { file: folders.get(name)?.catalogue ?? "" });
  }

  const each = (said: (name: Name) => string[]) => NAMES.flatMap(said);
  const naming = (name: Name) => new RegExp(`^${name}-`);
  /** Whether each provider said one thing, with all that is expected of it. */
  function expectEach(said: readonly string[], of: string, ...parts: RegExp[]): void {
    for (const name of NAMES) {
      const found = said.filter((line) => line.startsWith(`${name}-${of}: `) && line.includes("grnt_"));
      expect(found, `${name}-${of} in ${said.join("\n")}`).to.have.length(1);
      for (const part of [/TP_1504/, /`dependsOn`/, /`CatalogueSet`/, ...parts])
        expect(found[0]).to.match(part);
    }
  }

  it("warns of guarantees that cover nothing, and of a broken one with the request that breaks it", async () => {
    const none = (name: Name) =>
      `${name}-nowhere: Guarantee "nowhere": covers no address that the server has, so it refuses nothing until there is one`;
    const previewed = await saidDuring(stack, "warning", () => stack.preview());
    expect(previewed).to.have.members(each((name) => [none(name)]));
    const warned = await saidDuring(stack, "warning", () => stack.up());
    const broken = (name: Name) =>
      warned.filter((line) => naming(name).test(line) && line.includes("is broken"));
    expect(warned).to.have.members(each((name) => [none(name), ...broken(name)]));
    for (const name of NAMES)
      expect(broken(name).join("|")).to.match(
        new RegExp(
          `^${name}-broken: Guarantee: is broken: \`GET ${name}\\.example\\.org:443/api\` from .*: 403\\. It`,
        ),
      );
  });

  it("sees no change when the states of guarantees change, after an import or a refresh either", async () => {
    expect(changesOf(await stack.preview())).to.deep.equal([]);
    const { rest } = server;
    const backend_id = (await rest.post("/backends/http_response", { status_code: 204 })).body.id;
    for (const name of NAMES) {
      const hostports = [`${name}-later.example.org:443`];
      const { id } = (await rest.post("/edges/https", { hostports })).body;
      const all = { match_type: "path_prefix", match: "/", backend: { backend_id } };
      expect((await rest.post(`/edges/https/${id}/routes`, all)).status).to.equal(201);
      expect((await rest.get(`/guarantees/${imported.get(name)}`)).body.state).to.equal("broken");
    }
    expect(changesOf(await stack.refresh())).to.deep.equal([]);
    expect(changesOf(await stack.preview())).to.deep.equal([]);
  });

  it("is warned in its preview of each change that is refused by itself, with the request and the cure", async () => {
    order = "wrongly";
    isOpened = true;
    const warned = await saidDuring(stack, "warning", () => stack.preview());
    expect(warned.filter((line) => line.includes("refused"))).to.have.length(2 * NAMES.length);
    const alone = /^\S+ \w+: refused if applied alone: The guarantee grnt_\w+ \("only the office reaches/;
    expectEach(warned, "rule", alone, /`GET \S+\/admin` from [\d.]+.*: 403 → 204/);
    expectEach(warned, "api", alone, /`GET \S+\/api` from [\d.]+.*: 403 → 204/);
  });

  it("fails in its run with the same words where the order is wrong, and changes nothing there", async () => {
    const refused = await saidDuring(stack, "error", () => stack.up({ continueOnError: true }));
    const guarded = /The guarantee grnt_\w+ \("only the office reaches .* Nothing was changed/;
    expectEach(refused, "rule", guarded, /`GET \S+\/admin` from [\d.]+.*: 403 → 204/);
    expectEach(refused, "api", guarded, /`GET \S+\/api` from [\d.]+.*: 403 → 204/);
    const monitored = /The guarantee grnt_\w+ \("the monitor reaches .*: 204 → 404/;
    expectEach(
      refused,
      "health",
      monitored,
      /If the guarantee goes too, give it `dependsOn` on this resource/,
    );
  });

  it("goes through with `dependsOn`, and as one catalogue in any order, also where one protection takes the place of another", async () => {
    [order, isOpened, isProtectedByToken] = ["rightly", false, true];
    for (const name of NAMES) folders.get(name)?.write(catalogue(`${name}-set.example.org`, AFTER));
    const run = await stack.up();
    expect(changesOf(run).filter((change) => /-(rule|admin|api|set) /.test(change))).to.have.length(
      4 * NAMES.length,
    );
    const { guarantees } = (await server.rest.get("/guarantees?limit=100")).body;
    for (const { id, mode } of guarantees)
      if (mode === "enforce")
        expect((await server.rest.get(`/guarantees/${id}`)).body.state).to.equal("holds");
  });

  it("fails already in the preview where the end of a catalogue breaks one", async () => {
    for (const name of NAMES)
      folders.get(name)?.write(catalogue(`${name}-set.example.org`, { ...AFTER, admin: "office" }));
    const message = await failureOf(stack.preview());
    expect(message).to.match(/-set/).and.contain("TP_1504").and.contain("as a set");
    expect(message)
      .to.match(/`GET \S+\/admin` from [\d.]+.*: 403 → 204/)
      .and.not.contain("dependsOn");
    for (const name of NAMES) folders.get(name)?.write(catalogue(`${name}-set.example.org`, AFTER));
  });

  it("is destroyed completely, its guarantees before what they guard", async () => {
    await stack.destroy();
    expect(stack.resources()).to.deep.equal([]);
    expect((await server.rest.get("/guarantees")).body.guarantees).to.deep.equal([]);
  });
});
