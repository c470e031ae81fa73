import { createHmac } from "node:crypto";
import { statSync } from "node:fs";
import { join } from "node:path";
import { refusedBeside } from "../support/refusal";
import { type Running, runningForEachTest } from "./running";

const HOST = "hooks.example.com";
const SECRET = "known to GitHub too";
const signed = (body: string, secret = SECRET) => ({
  "x-hub-signature-256": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`,
});

describe("Webhooks on a real gateway", () => {
  const running = runningForEachTest();
  const start = async (one: Running) => {
    one.run("--dev-ca", "--allow-upstreams", "127.0.0.0/8");
    const { edge, route } = await one.site(HOST, {
      webhook_verification: { provider: "github", secret: SECRET },
    });
    await one.becomes(403, HOST);
    expect(statSync(join(one.state, "sockets/webhooks")).mode & 0o777).to.equal(0o600);
    const routes = one.api.httpsEdgeRoutes(edge.id);
    const post = async (body: string, headers: Record<string, string> = {}) =>
      one.ask(HOST, "/hook?x=1", { method: "POST", body, headers });
    return { routes, route, post };
  };

  it("reach their backend only if the service signed them, with a body up to 1 MiB; larger ones are answered 413", async () => {
    const { post } = await start(running.now);
    const { allowed } = await refusedBeside({
      refused: [() => post("{}"), () => post("{ }", signed("{}")), () => post("{}", signed("{}", "another"))],
      as: 403,
      allowed: () => post("{}", signed("{}")),
    });
    expect(JSON.parse(allowed.body)).to.include({ path: "/hook?x=1" });
    const ofLength = (length: number) => () => post("x".repeat(length), signed("x".repeat(length)));
    await refusedBeside({ refused: ofLength(1_048_577), as: 413, allowed: ofLength(1_048_576) });
  });

  it("are checked with the new secret once it changes, and no answer of the API shows it", async () => {
    const one = running.now;
    const { routes, route, post } = await start(one);
    const update = (webhook_verification: { provider: "github"; secret?: string; enabled?: boolean }) =>
      routes.update(route.id, { webhook_verification });
    const kept = await update({ provider: "github" });
    expect(kept.webhook_verification).to.deep.equal({ enabled: true, provider: "github", secret: null });
    expect((await post("{}", signed("{}"))).status).to.equal(200);
    await update({ provider: "github", secret: "a new one" });
    const byNew = () => post("{}", signed("{}", "a new one"));
    await one.until(async () => (await byNew()).status === 200);
    await refusedBeside({ refused: () => post("{}", signed("{}")), as: 403, allowed: byNew });
    await update({ provider: "github", enabled: false });
    await one.until(async () => (await post("{}")).status === 200);
    await update({ provider: "github", enabled: true });
    await one.until(async () => (await post("{}")).status !== 200);
    await refusedBeside({ refused: () => post("{}"), as: 403, allowed: byNew });
  });

  it("are counted by rate limits before anybody looks at their signatures", async () => {
    const one = running.now;
    const { routes, route, post } = await start(one);
    const limit = { name: "hooks", capacity: 3, rate: "1h", bucket_key: ["conn.client_ip"] };
    const signedPost = () => post("{}", signed("{}"));
    await refusedBeside({
      refused: async () => {
        const inbound = [{ actions: [{ type: "rate-limit" as const, config: limit }] }];
        await routes.update(route.id, { policies: { inbound } });
        await one.until(async () => (await post("{}")).status !== 403);
        return signedPost();
      },
      as: 429,
      allowed: signedPost,
    });
    await routes.update(route.id, { policies: { inbound: [] } });
    await one.until(async () => (await signedPost()).status === 200);
    await refusedBeside({ refused: () => post("{}"), as: 403, allowed: signedPost });
  });
});
