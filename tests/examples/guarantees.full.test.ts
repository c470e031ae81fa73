import { reviewInFull } from "@tunnelplane/pulumi/review";
import { expect } from "chai";
import { type Choices, guarded } from "../../examples/guarantees/program";
import type { Engine } from "../support/engine";
import { ENVOY } from "../support/envoy";
import { changesOf, saidDuring, World } from "../support/provider";

describe("The example guarantees", () => {
  const world = new World();
  let choices: Choices = {};
  let server: Awaited<ReturnType<World["server"]>>;
  let stack: Engine;
  before("start a server", async () => {
    server = await world.server();
    const env = { TUNNELPLANE_VALIDATE_ON_SERVER: "true" };
    stack = await world.stack(server, async () => guarded({ clientSecret: "given", ...choices }), { env });
  });
  after(() => world.close());

  /** The names of the five with their states on the server. */
  async function states(): Promise<object> {
    const guarantees = stack.resources().filter(({ type }) => type.endsWith(":Guarantee"));
    const all = await Promise.all(
      guarantees.map(async ({ urn, id }) => [
        urn.split("::").at(-1),
        (await server.rest.get(`/guarantees/${id}`)).body.state,
      ]),
    );
    return Object.fromEntries(all);
  }
  const HELD = { admin: "holds", health: "holds", internal: "holds", metrics: "holds", outside: "holds" };

  it("declares five that hold, without a warning, and changes nothing in a second run", async () => {
    expect(await saidDuring(stack, "warning", () => stack.up())).to.deep.equal([]);
    expect(await states()).to.deep.equal(HELD);
    expect(changesOf(await stack.preview())).to.deep.equal([]);
  });

  it("is stopped where contractors who need the wiki would see the metrics too, with the request that shows it", async () => {
    choices = { contractors: "shared" };
    const shown = /`GET \S+\/(metrics|health)` from 203\.0\.113\.\d+.*: 403 → /;
    const [warning = "", ...others] = await saidDuring(stack, "warning", () => stack.preview());
    expect(others).to.deep.equal([]);
    expect(warning).to.match(/^contractors: IpPolicyRule: refused if applied alone: The guarantee /);
    expect(warning).to.match(shown);
    const before = await server.rest.get("/ip_policy_rules");
    const refused = (await saidDuring(stack, "error", () => stack.up())).join("\n");
    expect(refused)
      .to.match(/contractors: .*TP_1504/)
      .and.match(shown);
    expect((await server.rest.get("/ip_policy_rules")).body).to.deep.equal(before.body);
    expect(await states()).to.deep.equal(HELD);
  });

  it("shows the same in its review, and Envoy agrees", async () => {
    if (ENVOY) process.env.TUNNELPLANE_ENVOY ??= ENVOY;
    const report = await reviewInFull(await stack.previewJson(), {
      onEnvoy: true,
      url: server.url,
      apiKey: server.apiKey,
      folder: `${__dirname}/../..`,
    });
    const broken = report.findings.filter(({ rule }) => rule === "guarantee-broken");
    expect(broken.map(({ name }) => name)).to.have.members(["metrics", "outside"]);
    for (const { example } of broken) expect(example?.request.from).to.match(/^203\.0\.113\./);
    if (!ENVOY) return console.log("    Not tried on Envoy, which could not be installed without Python 3");
    expect(report.tried?.sentence).to.match(/^Tried on Envoy: it does what this report says for all/);
  });

  it("lets the wiki have a policy of its own in one run", async () => {
    choices = { contractors: "apart" };
    expect(changesOf(await stack.up())).to.have.members([
      "create readers",
      "create own-readers",
      "create contractors",
      "update wiki ipRestriction.ipPolicyIds[0]",
    ]);
    expect(await states()).to.deep.equal(HELD);
  });

  it("is destroyed completely", async () => {
    await stack.destroy();
    expect(stack.resources()).to.deep.equal([]);
    expect((await server.rest.get("/guarantees")).body.guarantees).to.deep.equal([]);
  });
});
