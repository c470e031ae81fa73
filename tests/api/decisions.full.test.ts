import {
  apiOnOneDatabase,
  expectRefused,
  hostport,
  invalid,
  type Json,
  unique,
  unknownField,
} from "../support/api/expect";
import { sitesOf } from "../support/api/sites";
import { contentOf, settled } from "../support/databases";
import { Rest } from "../support/rest";
import { tableOf } from "../support/table";

apiOnOneDatabase("What happens to requests", (server) => {
  describe("The exposure of an address", () => {
    const [EARLY, LATE] = ["2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"];
    const gatewaysAt = async (address: string, rest: Rest = server.rest): Promise<Json[]> => {
      const answer = await rest.get(`/exposure?address=${encodeURIComponent(address)}`);
      expect(answer.status, answer.text).to.equal(200);
      return answer.body.exposure[0].gateways;
    };
    const agent = (credential: string, since: string, ...bind: string[]) => ({
      ...{ credential, bind, address: "192.0.2.1", since },
    });
    /** A gateway that serves these edges and has these agents. */
    const gateway = async (
      edges: readonly Json[],
      agents: readonly Json[] = [],
      state: Json = { state: "applied" },
    ): Promise<string> => {
      const name = unique("gateway");
      const report = { edges: edges.map(({ id }) => ({ id, ...state })), agents };
      const { status, text } = await server.rest.put(`/gateways/${name}/status`, report);
      expect(status, text).to.equal(204);
      return name;
    };

    it("says which gateway serves it, and which agents are there: to a member its own, and the count of others", async () => {
      const served = hostport();
      const edge = await server.created("/edges/tls", { hostports: [served] });
      const mine = await server.member();
      const own = (await mine.rest.post("/credentials", {})).body;
      const other = await server.created("/credentials", {});
      const late = agent(own.id, LATE, `bind:${served}`);
      const early = agent(other.id, EARLY, `bind:${served}`, "bind:elsewhere.example.com:443");
      const gone = agent(`cr_${"0".repeat(27)}`, EARLY, `bind:${served}`);
      const elsewhere = agent(other.id, EARLY, "bind:elsewhere.example.com:443");
      const name = await gateway([edge], [late, early, gone, elsewhere]);
      expect(await gatewaysAt(served)).to.have.length(1);
      const [all] = await gatewaysAt(served);
      expect(all).to.deep.include({ name, state: "applied", reason: "" });
      expect(all).to.deep.include({ agents: [early, late], other_agents: 0 });
      const [seen] = await gatewaysAt(served, mine.rest);
      expect(seen).to.deep.include({ agents: [late], other_agents: 1 });
      const list = (await server.read("/exposure")).exposure;
      const listed = list.find(({ address }: Json) => address === served);
      expect(listed.gateways[0]).to.deep.include({ name }).and.not.to.have.any.keys("agents", "other_agents");
      const rejected = { state: "rejected", reason: "no certificate" };
      const west = await gateway([edge], [], rejected);
      const second = (await gatewaysAt(served)).find((one) => one.name === west);
      expect(second).to.deep.include({ ...rejected, agents: [], other_agents: 0 });
    });

    it("counts agents that have all labels of one of its tunnel groups, and none of another project", async () => {
      const service = unique("web");
      const group = await server.created("/backends/tunnel_group", { labels: { service, color: "blue" } });
      const fixed = await server.created("/backends/static", { address: "10.0.0.1:80" });
      const both = await server.created("/backends/weighted", { backends: { [group.id]: 1, [fixed.id]: 1 } });
      const edge = await server.created("/edges/tls", {
        hostports: [hostport()],
        backend: { backend_id: both.id },
      });
      const shop = { "tunnelplane-project": unique("shop") };
      await server.created("/projects", { name: shop["tunnelplane-project"] });
      const { id } = await server.created("/credentials", {});
      const { body: foreign } = await server.rest.post("/credentials", {}, shop);
      const labels = [`bind:service=${service}`, "bind:color=blue"];
      const there = agent(id, EARLY, ...labels, "bind:more=yes");
      await gateway(
        [edge],
        [
          there,
          agent(id, EARLY, `bind:service=${service}`, "bind:color=green"),
          agent(foreign.id, LATE, ...labels),
        ],
      );
      const [seen] = await gatewaysAt(edge.hostports[0]);
      expect(seen).to.deep.include({ agents: [there], other_agents: 0 });
    });
  });

  describe("Asking what happens to requests", () => {
    const FROM = "198.51.100.7";
    const PATH = "/exposure/decisions";
    const sites = sitesOf(server);
    const decide = async (requests: readonly Json[], rest: Rest = server.rest) => {
      const answer = await rest.post(PATH, { requests: requests.map((one) => ({ from: FROM, ...one })) });
      expect(answer.status, answer.text).to.equal(200);
      return answer.body.decisions;
    };
    const site = async (hostports: readonly string[], ...routes: Json[]) =>
      (await sites.site(hostports, ...routes)).edge;
    const officeOnly = async () => {
      const { ip_restriction } = await sites.only("10.0.0.0/8");
      return { ip_restriction };
    };

    it("is answered in the order of the requests, with the steps that decide", async () => {
      const address = hostport();
      await site([address], { match: "/" }, { match: "/admin", ...(await officeOnly()) });
      const [open, refused, inside, nowhere] = await decide([
        { address, path: "/?a=b" },
        { address, path: "/admin/users", method: "POST" },
        { address, path: "/admin", from: "10.1.2.3" },
        { address: "nobody.example.com:443" },
      ]);
      expect(open).to.deep.include({ outcome: "answered", status: 204, address: `${address}/` });
      expect(open.goes_to).to.include({ kind: "http_response", status_code: 204 });
      expect(refused).to.deep.include({ outcome: "refused", status: 403, address: `${address}/admin` });
      expect(refused.by).to.include({ kind: "https_edge_route", field: "ip_restriction" });
      expect(refused.steps.map(({ field }: Json) => field)).to.deep.equal([
        "hostports",
        "tls_termination",
        "match",
        "ip_restriction",
      ]);
      expect(inside).to.include({ outcome: "answered", status: 204 });
      expect(nowhere).to.include({
        outcome: "closed",
        sentence: "Closed: No edge serves `nobody.example.com:443`.",
      });
    });

    it("fills in what a token or a session leaves out by what the address asks for", async () => {
      const address = hostport();
      const issuer = "https://id.example.com";
      const keys = `${issuer}/keys`;
      const jwt_validation = {
        issuer: { allow_list: [{ value: issuer }] },
        audience: { allow_list: [{ value: "api" }] },
        http: { tokens: [{ type: "jwt", method: "header", name: "Authorization", prefix: "Bearer " }] },
        jws: { allowed_algorithms: ["RS256"], keys: { sources: { additional_jkus: [keys] } } },
      };
      const oidc = { issuer, client_id: "site", client_secret: "canary-secret" };
      await site([address], { match: "/", jwt_validation }, { match: "/me", oidc });
      const tokens = [
        { issuer },
        { issuer: "https://elsewhere.example.com" },
        { issuer, audiences: ["other"] },
        { issuer, algorithm: "ES256" },
        { issuer, keys: `${issuer}/others` },
        { issuer, at: { method: "header", name: "x-token", prefix: "" } },
        { issuer, audiences: ["api"], algorithm: "RS256", keys },
      ];
      const decided = await decide(tokens.map((token) => ({ address, token })));
      expect(decided.map(({ status }: Json) => status)).to.deep.equal([204, 401, 403, 403, 401, 401, 204]);
      const sessions = [{}, { issuer }, { client_id: "other" }, { issuer: "https://elsewhere.example.com" }];
      const signedIn = await decide(sessions.map((session) => ({ address, path: "/me", session })));
      expect(signedIn.map(({ outcome }: Json) => outcome)).to.deep.equal([
        "answered",
        "answered",
        "sign_in",
        "sign_in",
      ]);
    });

    it("says that it does not know if an edge has more objects than the server reads", async () => {
      const [address, other] = [hostport(), hostport()];
      const route = (index: number) => ({
        kind: "https_edge_route",
        key: `r${index}`,
        fields: { edge_id: { $key: "https_edge/e" }, match_type: "exact_path", match: `/r${index}` },
      });
      const objects = [
        { kind: "https_edge", key: "e", fields: { hostports: [address] } },
        ...Array.from({ length: 1001 }, (_, index) => route(index)),
      ];
      const applied = await server.rest.post("/changesets", { set: unique("set"), objects });
      expect(applied.status, applied.text).to.equal(200);
      await site([other], { match: "/" });
      const [before, unknown, after] = await decide([
        { address: other },
        { address, path: "/r1" },
        { address: "nobody.example.com:443" },
      ]);
      expect(before.outcome).to.equal("answered");
      expect(unknown.outcome).to.equal("unknown");
      expect(unknown.sentence).to.contain("more than 1000 objects");
      expect(after.outcome).to.equal("closed");
    });

    it("changes nothing and leaves no row of the audit log", async () => {
      await settled(server.data); // rows of the audit log of earlier tests may be on their way
      const before = await contentOf(server.data);
      await decide([{ address: "nobody.example.com:443" }]);
      expect(await contentOf(server.data)).to.deep.equal(before);
    });

    it("refuses a malformed list of requests, and says where it is wrong", async () => {
      const request = { address: hostport(), from: FROM };
      const rows: readonly (readonly [wrong: Json, field: string, ...mentions: string[]])[] = [
        ...tableOf<[Json, string, ...string[]][]>(__dirname, "decisions.yaml"),
        ...["from", "address"].map((name) => [{ [name]: undefined }, `.${name}`, "is required"] as const),
        [{ address: "a".repeat(262) }, ".address", "at most 261 bytes"],
        [{ path: `/${"a".repeat(8192)}` }, ".path", "at most 8192 bytes"],
      ];
      for (const [wrong, field, ...mentions] of rows)
        expectRefused(
          await server.rest.post(PATH, { requests: [request, { ...request, ...wrong }] }),
          invalid(`requests[1]${field}`, ...mentions),
        );
      for (const asked of [
        { address: "192.0.2.1:5432" },
        { address: "[2001:db8::1]:5432", host: "192.0.2.1:80" },
        { method: "PROPFIND", path: "*" },
        { path: "unknown" },
      ])
        await decide([{ ...request, ...asked }]);
      for (const [body, refusal] of [
        [{}, invalid("requests", "is required")],
        [{ requests: [] }, invalid("requests", "must not be empty")],
        [{ requests: Array(101).fill(request) }, invalid("requests", "at most 100")],
        [{ requests: [{ ...request, form: FROM }] }, unknownField("requests[0].form", "`from`")],
        [{ requests: [{ ...request, session: { isuer: "b" } }] }, unknownField("requests[0].session.isuer")],
      ] as const)
        expectRefused(await server.rest.post(PATH, body), refusal);
      const dry = await server.rest.post(`${PATH}?dry_run=true`, { requests: [request] });
      expectRefused(dry, { status: 400, code: "TP_1007" });
      expectRefused(await server.rest.get(PATH), { status: 405, code: "TP_1400" });
      const stranger = await new Rest(server.url, "tp_wrong").post(PATH, { requests: [request] });
      expectRefused(stranger, { status: 401, code: "TP_1101" });
    });
  });
});
