import { expect } from "chai";
import { type Fate, LossyProxy } from "../support/lossyProxy";
import { World } from "../support/provider";
import { StandInServer } from "../support/standIn";
import { needsYaml, Project } from "./cli";

describe("A run of the native provider that does not come to its end", () => {
  const world = new World();
  const projects: Project[] = [];
  const standIns: { stop(): void }[] = [];
  before(function () {
    needsYaml(this);
  });
  after(async () => {
    for (const standIn of standIns) standIn.stop();
    await world.close();
    for (const project of projects) project.dispose();
  });

  /** A stack whose requests a proxy answers or not. */
  async function behindProxy(program: string, fateOf: (method: string) => Fate) {
    const server = await world.server();
    const proxy = await LossyProxy.start(server.url, ({ method = "" }) => fateOf(method));
    standIns.push(proxy);
    const project = new Project({ url: proxy.url, apiKey: server.apiKey }, program);
    projects.push(project);
    const policies = async () => (await server.rest.get("/ip_policies")).body.ip_policies as { id: string }[];
    return { server, project, policies };
  }

  it("ends its waits at once when it is cancelled, and the next run finds what the server did meanwhile", async () => {
    let arrived = (): void => undefined;
    let isSilent = true;
    const program = 'resources:\n  office: { type: "tunnelplane:IpPolicy" }\n';
    const { project, policies } = await behindProxy(program, (method) => {
      if (method !== "POST" || !isSilent) return "answered";
      arrived();
      return "silence";
    });
    const asked = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const { command, ended } = await project.start("up", "--yes", "--skip-preview");
    await asked;
    command.kill("SIGINT");
    const { code, text } = await ended;
    expect(code).to.equal(1);
    expect(text).to.contain("the run was cancelled before the server answered; run it again");

    isSilent = false;
    const up = await project.pulumi("up", "--yes", "--skip-preview");
    expect(up.code, up.text).to.equal(0);
    const [made, ...others] = await policies();
    expect(others, "no duplicate").to.deep.equal([]);
    expect(project.stateFile()).to.contain(made?.id);
  });

  it("ends after the time limit of a resource, and says whose limit it was", async () => {
    let isSilent = true;
    const within = (time: string) =>
      `resources:\n  office: { type: "tunnelplane:IpPolicy", options: { customTimeouts: { create: ${time} } } }\n`;
    const { project, policies } = await behindProxy(within("1s"), (method) =>
      method === "POST" && isSilent ? "silence" : "answered",
    );
    const late = await project.pulumi("up", "--yes", "--skip-preview");
    expect(late.code).to.equal(1);
    expect(late.text).to.contain(
      "the server did not answer within the 1 s of the resource's own time limit (customTimeouts)",
    );
    isSilent = false;
    project.write(within("1h")); // a busy machine needs more than a second
    expect((await project.pulumi("up", "--yes", "--skip-preview")).code).to.equal(0);
    expect(await policies()).to.have.length(1);
  });

  it("records the part of an update that was carried out, so that the next run does the rest only", async () => {
    const server = await world.server();
    let refuses = true;
    const standIn = await StandInServer.start(async (request, response) => {
      if (refuses && request.method === "PATCH")
        return void response.writeHead(409, { "content-type": "application/json" }).end(REFUSAL);
      const chunks = await request.toArray();
      const sent = {
        method: request.method ?? "",
        headers: request.headers as Record<string, string>,
        body: Buffer.concat(chunks),
      };
      const answer = await fetch(
        server.url + request.url,
        sent.method === "GET" || sent.method === "DELETE" ? { ...sent, body: null } : sent,
      );
      response
        .writeHead(answer.status, Object.fromEntries(answer.headers))
        .end(Buffer.from(await answer.arrayBuffer()));
    });
    standIns.push(standIn);
    const declaring = (properties: string) =>
      `resources:\n  app: { type: "tunnelplane:TlsEdge", properties: ${properties} }\n`;
    const project = new Project(
      { url: standIn.url, apiKey: server.apiKey },
      declaring('{ description: old, tlsTermination: { minVersion: "1.3" } }'),
    );
    projects.push(project);
    expect((await project.pulumi("up", "--yes", "--skip-preview")).code).to.equal(0);

    project.write(declaring("{ description: new }"));
    const partly = await project.pulumi("up", "--yes", "--skip-preview");
    expect(partly.code).to.equal(1);
    expect(partly.text).to.contain("refused by a stand-in");
    const state = JSON.parse(project.stateFile()).checkpoint.latest.resources.find(
      ({ urn }: { urn: string }) => urn.endsWith("::app"),
    );
    expect(state.outputs).to.include({ description: "old" }).and.not.to.have.property("tlsTermination");
    expect(state.initErrors.join()).to.contain("refused by a stand-in");

    refuses = false;
    expect((await project.pulumi("preview", "--diff")).text)
      .to.contain('"old" => "new"')
      .and.not.to.contain("tlsTermination");
    expect((await project.pulumi("up", "--yes", "--skip-preview")).code).to.equal(0);
    expect((await server.rest.get("/edges/tls")).body.tls_edges[0]).to.deep.include({
      description: "new",
      tls_termination: null,
    });
  });
});

const REFUSAL = JSON.stringify({
  error_code: "TP_1501",
  status_code: 409,
  msg: "refused by a stand-in",
  details: { operation_id: "op_0" },
});
