import { once } from "node:events";
import { connect } from "node:http2";
import { createConnection, createServer } from "node:net";
import { join } from "node:path";
import { refusedBeside } from "../support/refusal";
import { lineAbout, narrow, runningForAllTests } from "./running";

const [FIRST, SECOND] = ["first.example.com", "second.example.com"];

describe("An Envoy beside the gateway", () => {
  const running = runningForAllTests();
  before("start a gateway without an Envoy", async () => {
    await running.now.site(FIRST);
    await running.now.site(SECOND);
    start();
  });
  const start = () => running.now.run("--dev-ca", "--envoy", "none", "--allow-upstreams", "127.0.0.0/8");

  it("is asked for in one line while nobody has started it, and nothing is reported", async () => {
    const one = running.now;
    await one.gateway.logged("Envoy serves nothing");
    expect(lineAbout(one, "Envoy serves nothing"))
      .to.contain(`start Envoy with -c ${join(one.state, "envoy", "bootstrap.json")}`)
      .and.to.contain(`nothing asks at ${join(one.state, "envoy", "ads.sock")}`);
    const [reported, caller] = [() => one.status().then(() => 200), () => one.api.caller().then(() => 200)];
    await refusedBeside({ refused: reported, as: /no gateway|not found|does not exist/i, allowed: caller });
    expect(one.gateway.log).not.to.contain("edge applied");
    expect(await one.metrics())
      .to.contain("tunnelplane_gateway_edges_applied 0")
      .and.to.contain("tunnelplane_gateway_changes 0");
  });

  it("blames no edge for a port that is taken: all are served once it is free", async () => {
    const one = running.now;
    const holder = createServer().listen(one.httpsPort, "127.0.0.1");
    await once(holder, "listening");
    await one.startBeside();
    const edges = await one.reports((all) => all.filter(({ state }) => state === "rejected").length === 2);
    for (const { reason } of edges) expect(reason).to.match(/^Envoy did not take the last change/);
    expect(await one.ready()).to.equal(503);
    holder.close();
    await one.becomes(200, FIRST);
    await one.becomes(200, SECOND);
    await one.becomesReady();
  });

  it("that the gateway is started before or after: it takes what is declared, and a gateway that starts anew changes nothing in it", async () => {
    const one = running.now;
    await one.becomesReady();
    await one.gateway.stop("SIGKILL");
    expect(await one.answers(FIRST)).to.equal("one");
    start();
    await one.until(() =>
      one.ready().then(
        (status) => status === 200,
        () => false,
      ),
    );
    const { edge, route } = await one.site("third.example.com");
    await one.reported(edge.id, ({ state }) => state === "applied");
    await narrow(one, route);
    await one.becomesRefused(403, "third.example.com", FIRST);
  });

  it("is given everything again after it ended, also while the server is away", async () => {
    const one = running.now;
    await one.beside?.stop();
    await one.becomes(0, FIRST);
    await one.startBeside();
    await one.becomes(200, FIRST);
    await one.becomesRefused(403, "third.example.com", FIRST);
    await one.becomesReady();
  });

  it("is fed further whoever else comes to the gateway's socket, whatever they send and when they leave", async () => {
    const one = running.now;
    await one.becomesReady();
    const garbage = Buffer.from([0, 0, 0, 0, 3, 0xff, 0xff, 0xff]); // three bytes that are no request
    await closed(call(one, garbage));
    const url = "type.googleapis.com/envoy.config.cluster.v3.Cluster";
    const request = Buffer.concat([
      Buffer.from([0, 0, 0, 0, url.length + 2, 0x12, url.length]),
      Buffer.from(url),
    ]);
    const second = call(one, request);
    await once(second.stream, "data");
    second.session.destroy();
    const { edge } = await one.site("fourth.example.com");
    await one.reported(edge.id, ({ state }) => state === "applied");
    await one.becomes(200, "fourth.example.com");
    await one.becomesReady();
  });
});

/** Calls the gateway as Envoy does. */
function call(one: { readonly state: string }, request: Buffer) {
  const session = connect("http://gateway", {
    createConnection: () => createConnection(join(one.state, "envoy", "ads.sock")),
  }).on("error", () => undefined);
  const path = "/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources";
  const stream = session.request({ ":method": "POST", ":path": path, "content-type": "application/grpc" });
  stream.on("error", () => undefined).write(request);
  return { session, stream };
}

/** Not with `once`, which rejects for an error. */
async function closed({ session, stream }: ReturnType<typeof call>): Promise<void> {
  if (!stream.closed) await new Promise((resolve) => stream.once("close", resolve));
  session.destroy();
}
