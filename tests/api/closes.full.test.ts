import { apiOnEveryDatabase, hostport, type Json } from "../support/api/expect";
import { refusedBeside } from "../support/refusal";

apiOnEveryDatabase("A deletion that closes what is deleted next (closes)", (server) => {
  let address = hostport();
  const restricted = { user_agent_filter: { enabled: true, deny: ["^curl/"] } };
  let backend: Json;
  let edge: Json;
  let admin: Json;

  before("serve an edge whose route keeps callers out", async () => {
    backend = { backend: { backend_id: (await server.created("/backends/http_response", { body: "" })).id } };
    edge = await server.created("/edges/https", { hostports: [address] });
    await post({ match: "/", ...backend });
    admin = await post({ match: "/admin", ...backend, ...restricted });
  });

  const post = (route: Json) =>
    server.created(`/edges/https/${edge.id}/routes`, { match_type: "path_prefix", ...route });
  const deleted = async (uri: string, closes?: Json) => {
    const query = closes ? `?closes=${closes.id}` : "";
    const { status, text } = await server.rest.delete(`${uri}${query}`);
    expect(status, text).to.equal(204);
  };
  const restrict = ({ uri }: Json) =>
    server.rest.put(`${uri}/user_agent_filter`, restricted.user_agent_filter);
  const lackedBy = async ({ uri }: Json) => (await server.read(String(uri))).closed_without;
  /** What becomes of a request that the route keeps out. */
  async function outcome(at = address): Promise<string> {
    const request = { address: at, from: "203.0.113.1", path: "/admin", user_agent: "curl/8" };
    const { body, text } = await server.rest.post("/exposure/decisions", { requests: [request] });
    expect(body.decisions, text).to.have.length(1);
    return body.decisions[0].outcome;
  }

  it("leaves no request in that was kept out, and serves again with all that was there", async () => {
    expect(await outcome()).to.equal("refused");
    await deleted(`${admin.uri}/user_agent_filter`, edge);
    await deleted(String(admin.uri), edge);
    expect(await outcome()).to.equal("closed");
    expect(await lackedBy(edge)).to.have.members([
      "path_prefix /admin",
      "path_prefix /admin user_agent_filter",
    ]);
    admin = await post({ match: "/admin", ...backend });
    expect(await outcome()).to.equal("closed");
    await restrict(admin);
    expect([await outcome(), await lackedBy(edge)]).to.deep.equal(["refused", null]);
  });

  it("closes a route alone, so that the edge goes on as if that was gone", async () => {
    await deleted(`${admin.uri}/user_agent_filter`, admin);
    expect([await lackedBy(admin), await lackedBy(edge)]).to.deep.equal([["user_agent_filter"], null]);
    expect(await outcome()).to.equal("answered");
    await server.rest.patch(String(admin.uri), restricted);
    expect([await outcome(), await lackedBy(admin)]).to.deep.equal(["refused", null]);
  });

  it("opens where the same is deleted once more without it", async () => {
    await deleted(`${admin.uri}/user_agent_filter`, edge);
    expect(await outcome()).to.equal("closed");
    await server.rest.patch(String(edge.uri), { description: "still closed" });
    expect(await outcome()).to.equal("closed");
    await deleted(`${admin.uri}/user_agent_filter`);
    expect([await outcome(), await lackedBy(edge)]).to.deep.equal(["answered", null]);
  });

  it("has a creation serve nothing until the parts are there that follow, or are waited for no more", async () => {
    const hostports = [hostport()];
    const made = async (lacking: string) =>
      (await server.rest.post(`/edges/https?closed_without=${encodeURIComponent(lacking)}`, { hostports }))
        .body;
    edge = await made("mutual_tls,path_prefix /admin,path_prefix /admin user_agent_filter");
    address = hostports.join();
    await post({ match: "/", ...backend });
    admin = await post({ match: "/admin", ...backend });
    await restrict(admin);
    expect([await outcome(), await lackedBy(edge)]).to.deep.equal(["closed", ["mutual_tls"]]);

    await server.rest.patch(`${edge.uri}?closed_without=`, {});
    expect([await outcome(), await lackedBy(edge)]).to.deep.equal(["refused", null]);
    await server.rest.patch(`${edge.uri}?closed_without=path_prefix%20%2F%252C`, {});
    expect([await outcome(), await lackedBy(edge)]).to.deep.equal(["closed", ["path_prefix /,"]]);
    const waitingFor = (count: number) => () =>
      server.rest.patch(
        `${edge.uri}?closed_without=${Array.from({ length: count }, (_, index) => `path_prefix%20%2F${index}`)}`,
        {},
      );
    await refusedBeside({ refused: waitingFor(100), as: 400, allowed: waitingFor(99) });
    await server.rest.patch(`${edge.uri}?closed_without=`, {});
    await server.rest.patch(`${edge.uri}?closed_without=path_prefix%20%2F%252C`, {});
    // A gateway has such names served by the edge of the wildcard above.
    const above = await server.created("/edges/https", { hostports: [address.replace(/^[^.]+/, "*")] });
    await server.created(`/edges/https/${above.id}/routes`, {
      match_type: "path_prefix",
      match: "/",
      ...backend,
    });
    expect(await outcome()).to.equal("answered");
    await server.rest.delete(String(above.uri));
    await post({ match: "/,", ...backend });
    expect([await outcome(), await lackedBy(edge)]).to.deep.equal(["refused", null]);
  });

  it("keeps a module until all are there that an update names, in one step with the last of them", async () => {
    const { id: backend_id } = await server.created("/backends/http_response", {
      status_code: 200,
      body: "",
    });
    const site = await server.created("/edges/https", { hostports: [hostport()] });
    const filter = { deny: ["^curl/"] };
    const route = await server.created(`/edges/https/${site.id}/routes`, {
      ...{ match_type: "path_prefix", match: "/", user_agent_filter: filter, backend: { backend_id } },
    });
    const policies = { inbound: [{ name: "no", actions: [{ type: "deny", config: {} }] }], outbound: [] };
    const oidc = { issuer: "https://id.example.com", client_id: "c", client_secret: "s" };
    const after = "remove=user_agent_filter&remove_after=oidc,policies,backend";
    const first = (await server.rest.patch(`${route.uri}?${after}`, {})).body;
    expect(first.leaving).to.deep.equal({ modules: ["user_agent_filter"], after: ["oidc", "policies"] });
    await server.rest.put(`${route.uri}/oidc`, oidc);
    const second = await server.read(String(route.uri));
    expect([second.user_agent_filter.deny, second.leaving.after]).to.deep.equal([filter.deny, ["policies"]]);
    await server.rest.put(`${route.uri}/policies`, policies);
    const { user_agent_filter, leaving } = await server.read(String(route.uri));
    expect([user_agent_filter, leaving]).to.deep.equal([null, null]);

    await server.rest.put(`${site.uri}/tls_termination`, { min_version: "1.3" });
    const parts = encodeURIComponent("path_prefix /,path_prefix / user_agent_filter,path_prefix /%2C");
    const patch = `${site.uri}?remove=tls_termination&remove_after=${parts}`;
    const left = {
      modules: ["tls_termination"],
      after: [`path_prefix / user_agent_filter`, "path_prefix /,"],
    };
    const changes = async () => (await server.rest.get(`/events?object_id=${site.id}`)).body.events.length;
    const before = await changes();
    expect((await server.rest.patch(`${patch}&dry_run=true`, {})).body.leaving).to.deep.equal(left);
    await server.rest.patch(patch, {});
    await server.created(`/edges/https/${site.id}/routes`, {
      match_type: "path_prefix",
      match: "/,",
      ...backend,
    });
    const whole = async () => {
      const { tls_termination, leaving } = await server.read(String(site.uri));
      return [tls_termination?.min_version ?? null, leaving?.after ?? null];
    };
    expect(await whole()).to.deep.equal(["1.3", ["path_prefix / user_agent_filter"]]);
    const filtered = `${route.uri}/user_agent_filter`;
    await server.rest.put(`${filtered}?dry_run=true`, filter);
    expect(await whole()).to.deep.equal(["1.3", ["path_prefix / user_agent_filter"]]);
    await server.rest.put(filtered, filter);
    expect(await whole()).to.deep.equal([null, null]);
    expect(await changes()).to.equal(before + 3);
    await server.rest.put(`${site.uri}/tls_termination`, { min_version: "1.3" });
    await server.rest.patch(`${site.uri}?remove=tls_termination&remove_after=path_prefix%20/later`, {});
    await server.rest.patch(`${site.uri}?remove=tls_termination&remove_after=path_prefix%20/`, {});
    expect(await whole()).to.deep.equal([null, null]);

    const send = (names: string) => () =>
      server.rest.patch(`${route.uri}?dry_run=true&remove=oidc&remove_after=${names}`, {});
    await refusedBeside({
      refused: ["mutual_tls", "", "constructor"].map(send),
      as: { status: 400, code: "TP_1007", field: "remove_after" },
      allowed: send("jwt_validation"),
    });
  });

  it("closes only the hostports that an update adds, and no longer than parts follow that are not there", async () => {
    const [old, added] = [hostport(), hostport()];
    const lacking = "path_prefix /admin,path_prefix /admin user_agent_filter";
    const patch = (hostports: string[]) =>
      server.rest.patch(`${edge.uri}?closed_without=${encodeURIComponent(lacking)}`, { hostports });
    const outcomes = () => Promise.all([old, added].map((at) => outcome(at)));
    edge = await server.created("/edges/https", { hostports: [old] });
    const open = await post({ match: "/admin", ...backend });

    expect((await patch([old, added])).body).to.deep.include({
      closed_without: ["path_prefix /admin user_agent_filter"],
      closed_hostports: [added],
    });
    await patch([old, added]); // once more, as where its answer was lost
    expect(await outcomes()).to.deep.equal(["answered", "closed"]);
    const path = `/edges/https/${edge.id}/routes?replaces=${open.id}`;
    const again = { match_type: "path_prefix", match: "/admin", ...backend };
    admin = (await server.rest.post(path, again)).body;
    await restrict(admin);
    expect(await outcomes()).to.deep.equal(["answered", "closed"]);
    await deleted(String(open.uri));
    expect(await outcomes()).to.deep.equal(["refused", "refused"]);
    expect(await server.read(String(edge.uri))).to.deep.include({
      closed_without: null,
      closed_hostports: null,
    });

    const third = hostport();
    expect((await patch([old, added, third])).body).to.deep.include({
      closed_without: null,
      closed_hostports: null,
    });
    await deleted(`${admin.uri}/user_agent_filter`, edge);
    expect(await outcomes()).to.deep.equal(["closed", "closed"]);
    await restrict(admin);
    expect(await outcomes()).to.deep.equal(["refused", "refused"]);
  });

  it("is refused for parts that there cannot be", async () => {
    const send = (lacking: string) => () =>
      server.rest.patch(`${edge.uri}?dry_run=true&closed_without=${encodeURIComponent(lacking)}`, {});
    await refusedBeside({
      refused: [
        ...["oidc", "path_prefix admin", "path_prefix /a nothing", "any /", "%", "constructor"],
        "mutual_tls,".repeat(101),
      ].map(send),
      as: { status: 400, code: "TP_1007", field: "closed_without" },
      allowed: send("mutual_tls,exact_path /a oidc"),
    });
  });

  it("is refused for what it does not belong to", async () => {
    const other = await server.created("/edges/https", { hostports: [hostport()] });
    await refusedBeside({
      refused: () => server.rest.delete(`${admin.uri}?closes=${other.id}`),
      as: { status: 400, code: "TP_1007", field: "closes" },
      allowed: () => server.rest.delete(`${admin.uri}?closes=${edge.id}`),
    });
  });
});
