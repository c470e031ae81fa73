import { apiOnOneDatabase, hostport, stale, unique } from "../support/api/expect";
import { expectRefusedBut } from "../support/api/refusedBut";
import type { Rest } from "../support/rest";

const SECRET = "of-the-application";
const oidc = {
  issuer: "https://id.example.com",
  client_id: "app",
  client_secret: SECRET,
  scopes: ["openid"],
};
const target = { monitoring_service: { api_key: "of-the-service", service: "tunnels" } };

apiOnOneDatabase("A viewer", (server) => {
  let viewer: Rest;
  let member: Rest;
  let edge: { id: string; uri: string };
  let route: { id: string; uri: string };
  let destination: { id: string; uri: string };

  before(async () => {
    viewer = (await server.member({ role: "viewer" })).rest;
    member = (await server.member()).rest;
    edge = await server.created("/edges/https", { hostports: [hostport()] });
    const body = { match_type: "path_prefix", match: "/", oidc };
    route = await server.created(`/edges/https/${edge.id}/routes`, body);
    destination = await server.created("/event_destinations", { target });
  });

  it("reads what belongs to others: credentials, keys, bots, destinations and deliveries, events", async () => {
    const credential = (await member.post("/credentials", {})).body;
    expect((await viewer.get(credential.uri)).body).to.deep.equal({ ...credential, token: null });
    const { credentials } = (await viewer.get("/credentials")).body;
    expect(credentials.map(({ id }: { id: string }) => id)).to.include(credential.id);
    for (const path of ["/api_keys", "/bot_users", "/event_destinations", "/event_subscriptions", "/events"])
      expect((await viewer.get(path)).status, path).to.equal(200);
    expect((await viewer.get(`${destination.uri}/deliveries`)).status).to.equal(200);
    const rows = (await viewer.get(`/references?object_id=${credential.owner_id}`)).body.references;
    expect(rows.map(({ id }: { id: string }) => id)).to.include(credential.id);
  });

  it("reads null in the place of each secret, wherever objects are shown", async () => {
    const answers = await Promise.all(
      [
        ...[route.uri, `${route.uri}/oidc`, `/edges/https/${edge.id}/routes`, edge.uri, "/edges/https"],
        ...[destination.uri, "/event_destinations", "/events"],
      ].map((path) => viewer.get(path)),
    );
    for (const { status, text } of answers) {
      expect(status, text).to.equal(200);
      expect(text).not.to.contain(SECRET);
      expect(text).not.to.contain("of-the-service");
    }
    const [shownRoute, shownModule, , shownEdge, , shown] = answers.map(({ body }) => body);
    expect(shownRoute.oidc).to.deep.equal({ ...(await server.read(route.uri)).oidc, client_secret: null });
    expect(shownModule).to.deep.equal(shownRoute.oidc);
    expect(shownEdge.routes).to.deep.equal([shownRoute]);
    expect(shown.target.monitoring_service).to.deep.include({ api_key: null, service: "tunnels" });
    expect((await member.get(`${route.uri}/oidc`)).body.client_secret, "a member's").to.equal(SECRET);
  });

  it("reads the names of a webhook's headers, and neither their values nor its secret", async () => {
    const headers = { "x-key": "of-the-webhook" };
    const webhook = { url: "https://hooks.example.com/x", headers };
    const made = await server.created("/event_destinations", { target: { webhook } });
    const { secret } = made.target.webhook;
    expect(secret).to.match(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const hidden = { ...webhook, headers: { "x-key": null }, secret: null };
    expect((await viewer.get(made.uri)).body.target.webhook).to.deep.equal(hidden);
    const events = (await viewer.get(`/events?object_id=${made.id}`)).text;
    expect(events).not.to.contain("of-the-webhook").and.not.to.contain(secret);
    const kept = await server.rest.patch(made.uri, { target: { webhook: { ...webhook, headers: {} } } });
    expect(kept.body.target.webhook).to.deep.equal({ ...webhook, headers: {}, secret });
    const { changes } = (await server.read(`/events?object_id=${made.id}&limit=1`)).events[0];
    expect(changes).to.deep.equal([{ path: "target.webhook.headers.x-key" }]);
    const dry = await server.rest.post("/event_destinations?dry_run=true", { target: { webhook } });
    expect(dry.body.target.webhook).to.deep.equal({ ...webhook, secret: null });
    const other = await server.created("/event_destinations", { target });
    const planned = await server.rest.patch(`${other.uri}?dry_run=true`, { target: { webhook } });
    expect(planned.body.target.webhook).to.deep.equal({ ...webhook, secret: null });
    const moved = await server.rest.patch(other.uri, { target: { webhook } });
    expect(moved.body.target.webhook.secret)
      .to.match(/^whsec_/)
      .and.not.to.equal(secret);
    expect(await server.read(other.uri)).to.deep.equal(moved.body);
  });

  it("gets other ETags for such answers, which its own dry runs may name", async () => {
    for (const path of [route.uri, `${route.uri}/oidc`, edge.uri, destination.uri]) {
      const etag = (await viewer.get(path)).headers.get("etag");
      const own = await server.etag(path);
      expect(etag, path).not.to.equal(own);
      expect((await viewer.get(path, { "if-none-match": own })).status).to.equal(200);
      expect((await viewer.get(path, { "if-none-match": etag ?? "" })).status).to.equal(304);
      const dry = `${path}?dry_run=true`;
      await expectRefusedBut(
        () => viewer.delete(dry, { "if-match": own }),
        stale,
        () => viewer.delete(dry, { "if-match": etag ?? "" }),
      );
    }
    const policy = await server.created("/ip_policies", {});
    const { headers } = await viewer.get(policy.uri);
    expect(headers.get("etag"), "of a type without secrets").to.equal(await server.etag(policy.uri));
  });

  it("plans the change sets of others with the secrets left out, and applies none", async () => {
    const set = unique("set");
    const objects = [{ kind: "event_destination", key: "audit", fields: { target } }];
    const mine = { set, objects };
    expect((await server.rest.post("/changesets", mine)).status).to.equal(200);
    const other = {
      set,
      objects: [
        {
          ...objects[0],
          fields: { target: { monitoring_service: { ...target.monitoring_service, api_key: "new" } } },
        },
      ],
    };
    const { status, body } = await viewer.post("/changesets?dry_run=true&findings=true", other);
    expect(status).to.equal(200);
    expect(body.operations[0]).to.deep.include({
      op: "update",
      changes: [{ path: "target.monitoring_service.api_key" }],
    });
    expect((await viewer.get(`/changesets/${set}`)).body.objects).to.have.length(1);
    await expectRefusedBut(
      [() => viewer.post("/changesets", mine), () => viewer.delete(`/changesets/${set}`)],
      { status: 403, code: "TP_1200", mentions: ["viewer"] },
      () => server.rest.post("/changesets", mine),
    );
  });
});
