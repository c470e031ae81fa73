import { expect } from "chai";
import { changesOf, failureOf, requestsDuring, World } from "../support/provider";
import { onEveryProvider } from "../support/providers";

const CONFIG = { "tunnelplane:validateOnServer": { value: "true" } };

onEveryProvider("A preview with validateOnServer", (tunnels) => {
  const world = new World();
  after(() => world.close());

  it("finds mistakes in new and changed resources that only the server can see, and changes nothing", async () => {
    const server = await world.server();
    await server.rest.post("/edges/tls", { hostports: ["taken.example.com:443"] });
    let hostport = "taken.example.com:443";
    const stack = await world.stack(
      server,
      async () => void new tunnels.TlsEdge("edge", { hostports: [hostport] }),
      { config: CONFIG },
    );
    const ofNew = await failureOf(stack.preview());
    expect(ofNew).to.contain("hostports[0] is served by another edge already").and.to.contain("TP_1501");
    expect(ofNew).not.to.match(/\n\s+at /);
    expect((await server.rest.get("/edges/tls")).body.tls_edges).to.have.length(1);

    hostport = "free.example.com:443";
    expect(changesOf(await stack.preview())).to.deep.equal(["create edge"]);
    await stack.up();
    hostport = "taken.example.com:443";
    const ofChanged = await failureOf(stack.preview());
    expect(ofChanged).to.contain("hostports[0] is served by another edge already");
    expect((await server.rest.get("/edges/tls")).body.tls_edges[0].hostports).to.deep.equal([
      "free.example.com:443",
    ]);
  });

  it("sends one dry run for each creation or update, none during a run, and none for values that are not known yet", async () => {
    const server = await world.server();
    const program = async () => {
      const policy = new tunnels.IpPolicy("policy");
      new tunnels.IpPolicyRule("rule", { ipPolicyId: policy.id, cidr: "192.0.2.0/24", action: "allow" });
    };
    const stack = await world.stack(server, program, { config: CONFIG });
    expect(await requestsDuring(server, () => stack.preview())).to.deep.equal(["POST /ip_policies"]);
    expect(await requestsDuring(server, () => stack.up())).to.deep.equal([
      "GET /caller",
      "POST /ip_policies",
      "POST /ip_policy_rules",
    ]);
    expect(await requestsDuring(server, () => stack.preview())).to.deep.equal([]);
  });

  it("is not the default: other previews send no request", async () => {
    const server = await world.server();
    const stack = await world.stack(server, async () => void new tunnels.IpPolicy("policy"));
    expect(await requestsDuring(server, () => stack.preview())).to.deep.equal([]);
  });
});
