import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { objectsOf } from "../../gateway/dist/envoy/model";
import { Observed } from "../../gateway/dist/traffic/observed";
import { textOf } from "../../gateway/dist/traffic/series";
import { CollectorStandIn } from "../support/collector";
import { runningForAllTests, runningForEachTest } from "./running";
import { tls } from "./traffic";

const [OPEN, CLOSED, PASSED] = ["open.example.com", "closed.example.com", "passed.example.com"];
const [MIXED, DENIED] = ["mixed.example.com", "denied.example.com"];
const SECRET = "canary0123456789";

describe("A gateway shows of each hostport", () => {
  const running = runningForAllTests();
  const log = () => join(running.now.folder, "access.log");
  let metrics = "";
  const seen = (name: string, labels: string): number | undefined => {
    const escaped = `tunnelplane_gateway_${name}{${labels}}`.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    const [, value] = new RegExp(`^${escaped} (\\S+)$`, "m").exec(metrics) ?? [];
    return value === undefined ? undefined : Number(value);
  };
  const of = (host: string, more = "") => `hostport="${host}:443"${more}`;

  before(async () => {
    const one = running.now;
    await one.site(OPEN);
    const policy = await one.api.ipPolicies.create({});
    await one.api.ipPolicyRules.create({ ip_policy_id: policy.id, cidr: "192.0.2.0/24", action: "allow" });
    await one.site(CLOSED, { ip_restriction: { ip_policy_ids: [policy.id] } });
    await one.api.tlsEdges.create({ hostports: [`${PASSED}:443`] });
    const denying = (expression: string) => ({
      inbound: [{ expressions: [expression], actions: [{ type: "deny" as const }] }],
    });
    await one.site(MIXED, {
      user_agent_filter: { deny: ["Evil"] },
      policies: denying('req.path == "/no"'),
    });
    await one.api.tlsEdges.create({
      hostports: [`${DENIED}:443`],
      policies: denying('conn.client_ip == "127.0.0.1"'),
    });
    one.runWithAgents("--access-log", log());
    await one.becomes(200, OPEN);
    await one.becomes(403, CLOSED);
    const { key } = await one.credential([`bind:${PASSED}:443`]);
    one.agent(key, `${PASSED}:443`);
    await one.becomes(200, PASSED);
    await one.ask(OPEN, `/shop?token=${SECRET}`, { headers: { authorization: `Bearer ${SECRET}` } });
    await one.becomes(200, MIXED);
    await one.ask(MIXED, "/x", { headers: { "user-agent": "Evil" } });
    await one.ask(MIXED, "/no");
    await one.ask(DENIED).catch(() => undefined);
    const socket = await tls(one.httpsPort, { servername: PASSED });
    await one.until(async () => {
      metrics = await one.metrics();
      return (
        (seen("connections", of(PASSED)) ?? 0) > 0 &&
        (seen("refusals_total", of(CLOSED, ',module="ip_restriction"')) ?? 0) > 0 &&
        (seen("refusals_total", of(DENIED, ',module="policies"')) ?? 0) > 0 &&
        existsSync(log()) &&
        /"path":"\/shop"/.test(readFileSync(log(), "utf8"))
      );
    });
    metrics = await one.metrics();
    socket.destroy();
  });

  it("requests by class, refusals by module, how long they took, bytes, open connections, certificates and agents", () => {
    expect(seen("requests_total", of(OPEN, ',class="2xx"'))).to.be.greaterThan(1);
    expect(seen("requests_total", of(CLOSED, ',class="4xx"'))).to.be.greaterThan(0);
    expect(seen("refusals_total", of(OPEN, ',module="ip_restriction"'))).to.equal(undefined);
    expect(seen("refusals_total", of(DENIED, ',module="ip_restriction"'))).to.equal(undefined);
    for (const module of ["user_agent_filter", "policies"])
      expect(seen("refusals_total", of(MIXED, `,module="${module}"`)), module).to.equal(1);
    const count = seen("request_duration_seconds_count", of(OPEN));
    expect(seen("request_duration_seconds_bucket", of(OPEN, ',le="+Inf"'))).to.equal(count);
    for (const direction of ["received", "sent"])
      for (const host of [OPEN, PASSED])
        expect(seen("bytes_total", of(host, `,direction="${direction}"`)), host).to.be.greaterThan(0);
    expect(seen("connections", of(PASSED))).to.be.greaterThan(0);
    const day = 86_400;
    expect(seen("certificate_end_timestamp_seconds", of(OPEN))).to.be.greaterThan(Date.now() / 1000 + day);
    expect(seen("agents", of(PASSED))).to.equal(1);
    expect(seen("agents", of(OPEN))).to.equal(0);
  });

  it("its requests in the access log, by fields, without queries and tokens", () => {
    const text = readFileSync(log(), "utf8");
    const line = JSON.parse(text.split("\n").find((one) => one.includes('"/shop"')) ?? "");
    expect(line).to.include({
      hostport: `${OPEN}:443`,
      method: "GET",
      path: "/shop",
      status: 200,
      client: "127.0.0.1",
      refused_by: null,
    });
    expect(line).to.include.keys("time", "duration_ms", "bytes_sent", "user_agent", "request_id");
    expect(text).not.to.contain(SECRET);
    const lines = text.trim().split("\n");
    expect(lines.map((one) => JSON.parse(one).refused_by)).to.include.members([null, "ip_restriction"]);
  });
});

describe("The series of hostports", () => {
  const edge = (index: number) => ({
    kind: "https_edge",
    fields: {
      ...{ id: `edghts_${index}`, created_at: new Date(index * 1000).toISOString(), routes: [] },
      hostports: [`h${index}.example.com:443`],
    },
  });
  const seriesOf = (count: number): string[] => {
    const observed = new Observed();
    observed.know(objectsOf(Array.from({ length: count }, (_, index) => edge(index)) as never));
    for (let index = 0; index < count; index++) {
      const counts = observed.find("443", `h${index}.example.com`)?.counts;
      for (const status of [100, 200, 300, 400, 500]) counts?.request(status, 1);
    }
    const text = textOf(
      observed.shown([], 0, () => 0),
      0,
    );
    return text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  };

  it("are at most 2,000: the first declared have their own, all others are `other`, and none is lost", () => {
    for (const count of [10, 1000]) {
      const all = seriesOf(count);
      expect(all.length).to.be.at.most(2000);
      expect(all.join("\n")).to.contain('hostport="h0.example.com:443"');
      expect(all.some((line) => line.includes('hostport="other"'))).to.equal(count === 1000);
      const requests = all.filter((line) => line.includes("requests_total"));
      expect(requests.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0)).to.equal(count * 5);
    }
  });
});

describe("A gateway traces requests", () => {
  const running = runningForEachTest();
  const [TRACE, PARENT] = ["0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"];
  const traceparent = `00-${TRACE}-${PARENT}-01`;
  const toldTo = async (path: string): Promise<string> => {
    const { body } = await running.now.ask(OPEN, path, { headers: { traceparent } });
    return JSON.parse(body).headers.traceparent;
  };

  it("within the trace of their caller, which goes on at the backend, without paths, queries and tokens", async () => {
    const collector = await CollectorStandIn.start();
    const one = running.now;
    await one.site(OPEN);
    one.env = { ...collector.env, OTEL_EXPORTER_OTLP_HEADERS: `x-key=${SECRET}` };
    one.run("--dev-ca");
    await one.becomes(200, OPEN);
    const told = await toldTo(`/shop?token=${SECRET}`);
    expect(told)
      .to.match(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`))
      .and.not.equal(traceparent);
    const bytes = (hex: string) => Buffer.from(hex, "hex").toString("latin1");
    const [, , spanId = ""] = told.split("-");
    await one.until(() => collector.text.includes(bytes(spanId)));
    for (const part of [bytes(TRACE), bytes(PARENT), "tunnelplane-gateway", OPEN, "GET"])
      expect(collector.text).to.contain(part);
    expect(collector.text).not.to.match(new RegExp(`${SECRET}|/shop`));
    expect(collector.headers[0]).to.include({ "x-key": SECRET });
  });

  it("only where a collector is named: otherwise a caller's trace passes to the backend as it is", async () => {
    await running.now.site(OPEN);
    running.now.run("--dev-ca");
    await running.now.becomes(200, OPEN);
    expect(await toldTo("/")).to.equal(traceparent);
    expect(existsSync(join(running.now.state, "envoy", "traces.sock"))).to.equal(false);
  });
});
