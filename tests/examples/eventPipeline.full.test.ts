import { CloudWatchLogs } from "@aws-sdk/client-cloudwatch-logs";
import type { PulumiFn } from "@pulumi/pulumi/automation";
import { expect } from "chai";
import { type Choices, eventPipeline } from "../../examples/event-pipeline/program";
import { HAS_MOTO, Moto } from "../support/moto";
import { changesOf, World } from "../support/provider";
import { KEYS } from "../support/targets";

const REGION = "eu-central-1";

describe("The example event-pipeline", () => {
  if (!HAS_MOTO) {
    it("skipped: moto could not be installed, because Python 3 with venv is missing", function () {
      this.skip();
    });
    return;
  }

  const world = new World();
  let moto: Moto;
  before("start the cloud's services", async () => {
    moto = await Moto.start();
  });
  after(async () => {
    await world.close();
    await moto.stop();
  });

  it("sends the change of a policy to the log group", async () => {
    const logs = new CloudWatchLogs({ endpoint: moto.url, region: REGION, credentials: KEYS });
    await logs.createLogGroup({ logGroupName: "tunnels" });
    const { accessKeyId, secretAccessKey } = KEYS;
    const server = await world.server({
      env: {
        TUNNELPLANE_EVENT_ENDPOINTS: `log_service=${moto.url},sts=${moto.url}`,
        // The server's own, with which it assumes the role.
        AWS_ACCESS_KEY_ID: accessKeyId,
        AWS_SECRET_ACCESS_KEY: secretAccessKey,
      },
    });
    let choices: Choices = {};
    const stack = await world.stack(server, (async () => eventPipeline(choices)) as PulumiFn);
    await stack.up();
    choices = { purpose: "our offices and the warehouse" };
    expect(changesOf(await stack.up())).to.deep.equal(["update offices description"]);

    for (;;) {
      const { events = [] } = await logs
        .getLogEvents({ logGroupName: "tunnels", logStreamName: "tunnelplane", startFromHead: true })
        .catch(() => ({ events: [] }));
      const arrived = events.map(({ message }) => JSON.parse(message ?? "{}"));
      const updated = arrived.find((event) => event.event_type === "ip_policy_updated.v0");
      if (updated) {
        expect(updated.object).to.include({
          id: stack.outputs().offices?.value,
          description: "our offices and the warehouse",
        });
        expect(updated.changes).to.deep.equal([
          { path: "description", old: "our offices", new: "our offices and the warehouse" },
        ]);
        break;
      }
    }
    await stack.destroy();
  });
});
