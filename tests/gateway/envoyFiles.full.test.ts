import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect } from "chai";
import { newFolder } from "../support/folder";
import { refusedBeside } from "../support/refusal";
import { lineAbout, narrow, runningForAllTests } from "./running";

const [FIRST, SECOND] = ["first.example.com", "second.example.com"];

describe("An Envoy beside the gateway", () => {
  const running = runningForAllTests();
  before("start a gateway without an Envoy", async () => {
    await running.now.site(FIRST);
    await running.now.site(SECOND);
    running.now.run("--dev-ca", "--envoy", "none", "--allow-upstreams", "127.0.0.0/8");
  });

  it("is asked for in one line while nobody has started it, and nothing is reported", async () => {
    const one = running.now;
    await one.gateway.logged("Envoy serves nothing");
    expect(lineAbout(one, "Envoy serves nothing"))
      .to.contain(`start Envoy with -c ${join(one.state, "envoy", "bootstrap.json")}`)
      .and.to.contain(`nothing answers at ${join(one.state, "envoy", "admin.sock")}`);
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

  it("makes no edge applied if it says nothing: after 5 s, the last files that it took are back in place", async () => {
    const one = running.now;
    const elsewhere = newFolder();
    await one.becomesReady();
    const file = join(one.state, "envoy", "lds.json");
    const before = readFileSync(file, "utf8");
    // It looks elsewhere, and no longer sees what the gateway writes.
    writeFileSync(join(elsewhere, "lds.json"), before);
    await one.beside?.stop();
    await one.startBeside((bootstrap) =>
      bootstrap.replaceAll(`${one.state}/envoy/lds.json`, `${elsewhere}/lds.json`),
    );
    const { edge } = await one.site("third.example.com");
    await one.reasons([edge.id]);
    // A busy machine's Envoy may leave a single question of the gateway unanswered.
    await one.until(async () => (await one.live()) === 200);
    expect(await one.ready()).to.equal(503);
    expect(one.gateway.log).to.contain("Envoy said nothing about lds.json within 5");
    await one.until(() => readFileSync(file, "utf8") === before);
    expect(await one.metrics()).to.contain("tunnelplane_gateway_taken 0");
  });
});

describe("The files that Envoy took last", () => {
  const running = runningForAllTests();
  before("serve a site, from a server of its own", async () => {
    await running.now.useOwnServer();
    await running.now.site(FIRST);
    await running.now.site(SECOND);
    running.now.run("--dev-ca");
    await running.now.becomes(200, FIRST);
    await running.now.becomes(200, SECOND);
    await running.now.becomesReady();
  });

  it("are used again where a file in place has a cluster that Envoy refuses and no edge needs", async () => {
    const one = running.now;
    await one.gateway.stop();
    const file = join(one.state, "envoy", "cds.json");
    const { resources } = JSON.parse(readFileSync(file, "utf8"));
    const address = { socket_address: { address: "999.1.1.1", port_value: 80 } };
    const endpoints = [{ lb_endpoints: [{ endpoint: { address } }] }];
    const refused = {
      ...resources[0],
      name: "refused",
      load_assignment: { cluster_name: "refused", endpoints },
    };
    writeFileSync(file, JSON.stringify({ version_info: "refused", resources: [...resources, refused] }));
    one.run("--dev-ca");
    const [edge] = await one.reports();
    const routes = one.api.httpsEdgeRoutes(edge?.id ?? "");
    for await (const { id } of routes.list()) await narrow(one, { id, edge_id: edge?.id ?? "" });
    await one.becomesRefused(403, FIRST, SECOND);
    expect(JSON.parse(readFileSync(file, "utf8")).resources).to.have.length(resources.length);
  });

  it("let Envoy start, though a gateway died with an unreadable file in place and nobody knows of any object", async () => {
    const one = running.now;
    await one.becomesReady();
    await one.server.stop("SIGKILL");
    const envoys = one.children;
    await one.gateway.stop("SIGKILL");
    execFileSync("kill", ["-9", ...envoys]);
    for (const name of ["cds", "lds"])
      writeFileSync(join(one.state, "envoy", `${name}.json`), '{"resources":[{"capacity":5000000000}]}');
    // So that this gateway knows of no object either.
    rmSync(join(one.state, "objects.json"));
    one.run("--dev-ca");
    await one.becomes(200, SECOND);
    await one.becomesRefused(403, FIRST, SECOND);
    expect([await one.ready(), await one.live()], "readyz and livez").to.deep.equal([503, 200]);
  });
});
