import type { IncomingHttpHeaders } from "node:http";
import { get } from "node:https";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { refusedBeside } from "../support/refusal";
import { StandInServer } from "../support/standIn";
import { envoyOfThisFile } from "./traffic";
import { enabled, fixed, httpsEdge, inbound, backend as other, policy, route, to } from "./worlds";

const TEXT = "The same words again and again. ".repeat(100);

describe("Modules that change requests and answers, on a real Envoy", () => {
  const gateway = envoyOfThisFile();
  let backend: StandInServer;
  let status = 200;
  let asked = 0;
  before("start a backend", async () => {
    backend = await StandInServer.start(({ url = "", headers }, response) => {
      asked++;
      const body = url.startsWith("/headers") ? JSON.stringify(headers) : url === "/short" ? "short" : TEXT;
      response.writeHead(status, {
        "content-length": Buffer.byteLength(body),
        "content-type": url.startsWith("/picture") ? "image/png" : "text/html; charset=utf-8",
        "x-powered-by": "something",
        "x-kept": "yes",
      });
      response.end(body);
    });
  });

  const serve = async (fields: object): Promise<void> => {
    const { edges } = await gateway.serve([
      httpsEdge({ routes: [route({ backend: to("up"), ...fields })] }),
      fixed("up", new URL(backend.url).host),
      other("http_response", "page", {
        status_code: 200,
        body: TEXT,
        headers: { "content-type": "text/plain", "X-Powered-By": "us" },
      }),
    ]);
    expect(edges.map(({ reason }) => reason)).to.deep.equal([""]);
  };
  const raw = async (path: string, accepted: string) => {
    const response = await new Promise<{ body: Buffer; headers: IncomingHttpHeaders }>((resolve, reject) => {
      const headers = { host: "app.example.com", "accept-encoding": accepted };
      const to = { agent: false, host: "127.0.0.1", port: gateway.state.port, path, headers };
      get({ ...to, servername: "app.example.com", rejectUnauthorized: false }, async (answer) =>
        resolve({ body: Buffer.concat(await answer.toArray()), headers: answer.headers }),
      ).on("error", reject);
    });
    const encoding = response.headers["content-encoding"];
    const body =
      encoding === "br"
        ? brotliDecompressSync(response.body)
        : encoding === "gzip"
          ? gunzipSync(response.body)
          : response.body;
    return { encoding, text: body.toString("utf8"), bytes: response.body.length };
  };

  it("request_headers: backends get what is set, literally, and nothing that is taken away; checks see what was sent", async () => {
    await serve({
      request_headers: enabled({ add: { "X-Team": "100%REQ(:path)% ours" }, remove: ["x-debug", "Cookie"] }),
      policies: inbound(policy(['req.headers["x-debug"] == "no"'], ["deny"])),
    });
    const sent = { "x-debug": "1", "x-team": "theirs", cookie: "a=b", "x-other": "2" };
    const { allowed } = await refusedBeside({
      refused: () => gateway.http1("/headers", { headers: { "x-debug": "no" } }),
      as: 403,
      allowed: () => gateway.http1("/headers", { headers: sent }),
    });
    const got = JSON.parse(allowed.body);
    expect(got).to.include({ "x-team": "100%REQ(:path)% ours", "x-other": "2" });
    expect(got).not.to.have.any.keys("x-debug", "cookie");
    expect(got["x-forwarded-proto"]).to.equal("https");
  });

  it("response_headers: callers get what is set, and nothing that is taken away, of backends and of the gateway's own answers", async () => {
    const response_headers = enabled({ add: { "X-Frame-Options": "DENY 5%" }, remove: ["x-powered-by"] });
    await serve({ response_headers });
    const answer = await gateway.http1("/");
    expect(answer.headers).to.include({ "x-frame-options": "DENY 5%", "x-kept": "yes" });
    expect(answer.headers).not.to.have.property("x-powered-by");
    await serve({ response_headers, backend: to("page") });
    const own = await gateway.http1("/");
    expect(own.headers).to.include({ "x-frame-options": "DENY 5%", "content-type": "text/plain" });
    expect(own.headers).not.to.have.property("x-powered-by");
  });

  it("compression: brotli and gzip, as callers ask; no pictures, nothing short, and nothing for callers who take none", async () => {
    await serve({ compression: enabled({}) });
    for (const [accepted, encoding] of [
      ["br", "br"],
      ["gzip", "gzip"],
      ["gzip, br", "br"],
      ["br;q=0.5, gzip", "gzip"],
      ["identity", undefined],
      ["deflate", undefined],
    ] as const) {
      const answer = await raw("/", accepted);
      expect(answer.encoding, accepted).to.equal(encoding);
      expect(answer.text).to.equal(TEXT);
      if (encoding) expect(answer.bytes).to.be.below(TEXT.length / 5);
    }
    expect((await raw("/picture", "br, gzip")).encoding).to.equal(undefined);
    expect((await raw("/short", "br, gzip")).encoding).to.equal(undefined);
    await serve({ compression: { enabled: false } });
    expect((await raw("/", "br, gzip")).encoding).to.equal(undefined);
  });

  it("circuit_breaker: a backend that fails too often is not asked for a while, and then again", async () => {
    await serve({
      circuit_breaker: enabled({
        ...{ tripped_duration: 1, rolling_window: 1, num_buckets: 10, volume_threshold: 5 },
        error_threshold_percentage: 0.5,
      }),
    });
    const ask = async () => (await gateway.http1("/")).status;
    for (let index = 0; index < 20; index++) expect(await ask()).to.equal(200);
    status = 500;
    // 500 comes from the backend, 503 from the gateway alone.
    for (let answer = await ask(); answer !== 503; answer = await ask()) expect(answer).to.equal(500);
    const before = asked;
    expect(await ask()).to.equal(503);
    expect(asked).to.equal(before);
    status = 200;
    while ((await ask()) !== 200);
    expect(asked).to.be.above(before);
  });

  it("circuit_breaker: another route to the same backend goes on", async () => {
    const breaker = { tripped_duration: 60, rolling_window: 1, num_buckets: 10, volume_threshold: 1 };
    const { edges } = await gateway.serve([
      httpsEdge({
        routes: [
          route({ backend: to("up") }),
          route({
            id: "edghtsrt_2",
            match: "/guarded",
            backend: to("up"),
            circuit_breaker: enabled({ ...breaker, error_threshold_percentage: 10 }),
          }),
        ],
      }),
      fixed("up", new URL(backend.url).host),
    ]);
    expect(edges.map(({ reason }) => reason)).to.deep.equal([""]);
    status = 500;
    while ((await gateway.http1("/guarded")).status !== 503);
    expect((await gateway.http1("/")).status).to.equal(500);
    status = 200;
    expect((await gateway.http1("/")).status).to.equal(200);
  });
});
