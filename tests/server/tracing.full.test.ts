import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { CollectorStandIn } from "../support/collector";
import { onEveryDatabase } from "../support/databases";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const PARENT = "b7ad6b7169203331";
const SERVER = 2;

onEveryDatabase("OpenTelemetry on", (start) => {
  it("gets a span for each request, within its caller's trace, and one for each call of the database", async () => {
    const collector = await CollectorStandIn.start();
    const env = {
      ...collector.env,
      OTEL_EXPORTER_OTLP_HEADERS: "X-Team=a%20b",
      OTEL_SERVICE_NAME: "tunnels",
    };
    const { rest } = await start({ env });
    const made = await rest.created(
      "/ip_policies",
      { description: "very-own-words" },
      { traceparent: `00-${TRACE}-${PARENT}-01` },
    );
    const creation = await collector.span(({ name }) => name === "POST /ip_policies");
    expect(creation).to.include({ traceId: TRACE, parentSpanId: PARENT, service: "tunnels", kind: SERVER });
    expect(creation.attributes).to.include({
      "http.request.method": "POST",
      "http.route": "/ip_policies",
      "http.response.status_code": "201",
    });
    const transaction = await collector.span(
      ({ name, parentSpanId }) => name === "transaction" && parentSpanId === creation.spanId,
    );
    expect(collector.childrenOf(transaction).map(({ name }) => name)).to.include("insert resource");

    await rest.get(`${made.uri}?very-own-words=1`);
    const read = await collector.span(({ name }) => name === "GET /ip_policies/:id");
    expect(read.traceId)
      .to.match(/^[\da-f]{32}$/)
      .and.not.to.equal(TRACE);
    expect(read.parentSpanId).to.equal(undefined);
    expect(collector.childrenOf(read).some(({ name }) => name.startsWith("select "))).to.equal(true);
    expect(collector.text).not.to.match(/very-own-words|tpk_|\bipp_/);
    expect(collector.headers[0]).to.include({ "x-team": "a b", "content-type": "application/json" });
  });

  it("gets calls of the database within their request also where a body arrives later", async () => {
    const collector = await CollectorStandIn.start();
    const server = await start({ env: collector.env });
    const headers = {
      authorization: `Bearer ${server.apiKey}`,
      "service-version": "2",
      expect: "100-continue",
    };
    const request = httpRequest(`${server.url}/ip_policies`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json", "content-length": 2 },
    });
    request.on("continue", () => request.end("{}")).flushHeaders();
    const [answer] = await once(request, "response");
    expect(answer.resume().statusCode).to.equal(201);
    const creation = await collector.span(({ name }) => name === "POST /ip_policies");
    const names = collector.childrenOf(creation).map(({ name }) => name);
    expect(names).to.include("transaction");
  });

  it("is not loaded where nobody names one", () => {
    const program = `require("@tunnelplane/sdk/tracing").startTracing("one");
      console.log(Object.keys(require.cache).filter((file) => /tracing.(otlp|collector)[.]js$/.test(file)).length)`;
    const loaded = (env: Record<string, string>) =>
      execFileSync(process.execPath, ["-e", program], {
        encoding: "utf8",
        env: { ...process.env, ...env },
      }).trim();
    expect(loaded({ OTEL_EXPORTER_OTLP_ENDPOINT: "" })).to.equal("0");
    expect(loaded({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" })).to.equal("2");
  });

  it("is asked for nothing by callers who trace without keeping, and answers them as others", async () => {
    const collector = await CollectorStandIn.start();
    const { rest } = await start({ env: collector.env });
    await rest.created("/ip_policies", {}, { traceparent: `00-${TRACE}-${PARENT}-00` });
    await rest.created("/ip_policies", {}, { traceparent: "of no known form" });
    await collector.span(({ name }) => name === "POST /ip_policies");
    expect(collector.spans.filter(({ traceId }) => traceId === TRACE)).to.deep.equal([]);
  });

  it("may be away, refuse or be mistyped: requests are answered, one warning says so", async () => {
    const collector = await CollectorStandIn.start();
    const refused = await start({ env: collector.env });
    collector.status = 503;
    for (let i = 0; i < 3; i++) await refused.rest.created("/ip_policies", {});
    await refused.stop();
    expect(refused.log.match(/Traces are dropped/g), refused.log).to.have.lengthOf(1);
    expect(refused.log).to.contain("status 503");
    for (const [endpoint, warning] of [
      ["http://127.0.0.1:9", /Traces are dropped: .*ECONNREFUSED/],
      ["localhost:4317", /Nothing is traced: OTEL_EXPORTER_OTLP_ENDPOINT must be /],
    ] as const) {
      const server = await start({ env: { ...collector.env, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } });
      await server.rest.created("/ip_policies", {});
      await server.stop();
      expect(server.log).to.match(warning);
    }
  });
});
