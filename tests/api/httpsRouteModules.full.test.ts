import { expect } from "chai";
import { expectRefused, invalid, type Json, serverOfThisFile, unique } from "../support/api/expect";
import { onOneDatabase } from "../support/databases";

onOneDatabase("The modules of an HTTPS edge's route", (start) => {
  const server = serverOfThisFile(start);

  const routeWith = (modules: Json) => ({ match_type: "path_prefix", match: `/${unique()}`, ...modules });
  const route = (modules: Json = {}) => server.created("/edges/https/{edge_id}/routes", routeWith(modules));

  it("a webhook's secret is needed once: a module without it is refused until one is stored, and keeps it then", async () => {
    const { id } = await server.created("/edges/https", {});
    const path = `/edges/https/${id}/routes`;
    const body = { match_type: "path_prefix", match: "/" };
    const webhook = { provider: "github" };
    const missing = invalid("webhook_verification.secret", "none is stored yet");
    expectRefused(await server.rest.post(path, { ...body, webhook_verification: webhook }), missing);
    const route = (await server.rest.post(path, body)).body;
    expectRefused(await server.rest.put(`${route.uri}/webhook_verification`, webhook), invalid());
    expectRefused(await server.rest.patch(route.uri, { webhook_verification: webhook }), missing);
    const stored = { ...webhook, enabled: true, secret: null };
    const first = await server.rest.put(`${route.uri}/webhook_verification`, { ...webhook, secret: "s" });
    expect(first.body).to.deep.equal(stored);
    const second = await server.rest.put(`${route.uri}/webhook_verification`, { provider: "slack" });
    expect(second.body).to.deep.equal({ ...stored, provider: "slack" });
    await server.rest.delete(`${route.uri}/webhook_verification`);
    expectRefused(await server.rest.patch(route.uri, { webhook_verification: webhook }), missing);
  });

  it("webhook_verification: a secret that is kept from another service has to be one for Svix, too", async () => {
    const key = "whsec_b2Y=";
    const { uri } = await route({ webhook_verification: { provider: "github", secret: "a secret" } });
    const at = `${uri}/webhook_verification`;
    const other = { provider: "svix" };
    expect((await server.unchangedBy(uri, () => server.rest.put(at, other))).status).to.equal(400);
    expect((await server.rest.put(at, { ...other, secret: key })).status).to.equal(200);
    expect((await server.rest.put(at, other)).status).to.equal(200);
  });
});
