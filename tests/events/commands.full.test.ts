import { runHere } from "../support/commandLine";
import { ServerProcess } from "../support/server";
import { StandInServer } from "../support/standIn";

describe("tunnelplane events", () => {
  let server: ServerProcess;
  let service: StandInServer;
  let status = 403;
  let destination: string;
  before(async () => {
    service = await StandInServer.start((request, response) => {
      request.resume().on("end", () => response.writeHead(status).end());
    });
    server = await ServerProcess.start({
      env: { TUNNELPLANE_EVENT_ENDPOINTS: `monitoring_service=${service.url}` },
    });
    const rest = server.rest;
    destination = (
      await rest.post("/event_destinations", { target: { monitoring_service: { api_key: "any" } } })
    ).body.id;
  });

  const run = async (...given: string[]) => {
    const env = { TUNNELPLANE_BASE_URL: server.url, TUNNELPLANE_API_KEY: server.apiKey };
    const { code, out, err } = await runHere(["events", ...given], env);
    return { code, said: code === 0 ? out : err };
  };

  it("tests a destination, and exits with 1 and the service's message if it refuses", async () => {
    const refused = await run("test", destination);
    expect(refused.code).to.equal(1);
    expect(refused.said).to.match(/not accepted: the service refused with status 403/);
    status = 202;
    expect(await run("test", destination)).to.deep.include({ code: 0 });
  });

  it("lists deliveries and replays them", async () => {
    const rest = server.rest;
    await rest.post("/event_subscriptions", {
      sources: [{ type: "ip_policy_created.v0" }],
      destination_ids: [destination],
    });
    const { body } = await rest.post("/ip_policies", {});
    for (let said = ""; !said.includes("delivered"); ) said = (await run("deliveries", destination)).said;
    expect((await run("deliveries", destination, "--status", "delivered")).said)
      .to.contain(`ip_policy_created.v0 ev_`)
      .and.to.contain(body.id);
    expect((await run("deliveries", destination, "--status", "dead")).said).to.equal("");
    expect((await run("replay", destination, "--since", "2020-01-01T00:00:00Z")).said).to.equal(
      "Events that are sent again: 1.\n",
    );
    expect((await run("replay", destination)).said).to.contain("--since <time> or --dead-letters");
    expect((await run("deliveries", "ed_nobody")).said).to.contain("There is no event destination ed_nobody");
  });
});
