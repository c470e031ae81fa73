import { type Fate, LossyProxy } from "../support/lossyProxy";
import { World } from "../support/provider";
import { needsYaml, Project } from "./cli";

describe("A run of the native provider that does not come to its end", () => {
  const world = new World();
  before(function () {
    needsYaml(this);
  });

  async function behindProxy(program: string, fateOf: (method: string) => Fate) {
    const server = await world.server();
    const proxy = await LossyProxy.start(server.url, ({ method = "" }) => fateOf(method));
    const project = new Project({ url: proxy.url, apiKey: server.apiKey }, program);
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
});
