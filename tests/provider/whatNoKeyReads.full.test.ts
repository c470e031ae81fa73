import { Transport } from "@tunnelplane/sdk";
import { Lifecycle, recordedOf, targetOf } from "../../provider/src/core";
import { worldOfThisFile } from "../support/provider";

const SECRET = "whsec-0123456789abcdef";
const known = () => false;

describe("What an answer does not tell of a route and its modules", () => {
  const { server } = worldOfThisFile();
  let transport: Transport;
  let id: string;
  before("have a route whose secret no key reads", async () => {
    transport = new Transport({ baseUrl: server.url, apiKey: server.apiKey });
    const edge = (await server.rest.post("/edges/https", {})).body;
    const webhook_verification = { provider: "github", secret: SECRET };
    const body = { match_type: "path_prefix", match: "/", webhook_verification };
    const route = (await server.rest.post(`/edges/https/${edge.id}/routes`, body)).body;
    id = `${edge.id}/${route.id}`;
  });
  after(() => transport.close());

  it("a secret that no key reads is taken from the program, and is no reason to refuse an import, for routes and modules of their own", async () => {
    const module = { enabled: true, provider: "github" };
    for (const [kind, answered, declared] of [
      [
        "https_edge_route",
        { webhookVerification: module },
        { webhookVerification: { ...module, secret: SECRET } },
      ],
      ["https_edge_route.webhook_verification", module, { ...module, secret: SECRET }],
    ] as const) {
      const { definition, ...lifecycle } = {
        definition: targetOf(kind).definition,
        at: new Lifecycle(targetOf(kind)),
      };
      const found = await lifecycle.at.read(transport, id, {});
      expect(found, kind).to.have.property("inputs").that.deep.includes(answered);
      expect(found, kind).not.to.have.property("hidden");
      const { outputs = {}, inputs = {} } = found ?? {};
      const desired = { ...inputs, ...declared };
      const recorded = recordedOf(definition, outputs, desired);
      expect(lifecycle.at.plan(recorded, desired, known), kind).to.include({ changes: false });
      const adopted = await lifecycle.at.read(transport, id, desired);
      expect(lifecycle.at.refusalToAdopt(id, adopted?.outputs ?? {}, desired, [], known), kind).to.equal(
        undefined,
      );
    }
  });

  it("a module takes the id of a route's resource as well as its routeId, and names the edge that it does not belong to", () => {
    const [edgeId = "", routeId = ""] = id.split("/");
    const lifecycle = new Lifecycle(targetOf("https_edge_route.compression"));
    for (const given of [routeId, id])
      expect(lifecycle.check({}, { edgeId, routeId: given }, known)).to.deep.include({
        inputs: { edgeId, routeId, enabled: true },
        problems: [],
      });
    const { problems } = lifecycle.check(
      {},
      { edgeId: `${edgeId.slice(0, -1)}${edgeId.endsWith("x") ? "y" : "x"}`, routeId: id },
      known,
    );
    expect(problems.join()).to.contain(`routeId is ${id}, which does not belong to the edgeId`);
  });
});
