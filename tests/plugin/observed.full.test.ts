import { getEndpoints, getTunnelSessions, getTunnels } from "@tunnelplane/pulumi";
import { newId } from "@tunnelplane/sdk/contract";
import { expect } from "chai";
import { hostport, serverOfThisFile } from "../support/api/expect";
import { ServerProcess } from "../support/server";
import { Plugin } from "./plugin";

describe("A program that asks what gateways see", () => {
  const server = serverOfThisFile(() => ServerProcess.start());
  let plugin: Plugin;
  let env: Record<string, string>;
  const outside = { ...process.env };
  before(async () => {
    env = { TUNNELPLANE_BASE_URL: server.url, TUNNELPLANE_API_KEY: server.apiKey };
    plugin = await Plugin.start(env);
    Object.assign(process.env, env);
  });
  after(() => {
    for (const name of Object.keys(env)) {
      delete process.env[name];
      if (outside[name] !== undefined) process.env[name] = outside[name];
    }
    return plugin?.stop();
  });

  it("gets endpoints, tunnels and sessions of agents from both providers, under the names of its language", async () => {
    const served = hostport();
    const edge = await server.created("/edges/tls", { hostports: [served] });
    const credential = await server.created("/credentials", {});
    const agent = { session: newId("ts"), credential: credential.id, bind: [`bind:${served}`] };
    const { status } = await server.rest.put("/gateways/eu-1/status", {
      edges: [{ id: edge.id, state: "applied" }],
      agents: [{ ...agent, address: "192.0.2.1", since: "2026-01-01T00:00:00Z", client: "SSH-2.0-a" }],
    });
    expect(status).to.equal(204);
    const invoked = async (name: string) => (await plugin.invoke(name, {})).getReturn()?.toJavaScript();
    const [sessions, tunnels, endpoints] = [
      await getTunnelSessions(),
      await getTunnels(),
      await getEndpoints(),
    ];
    expect(sessions).to.have.length(1);
    expect(sessions[0]).to.deep.include({ id: agent.session, agentVersion: "SSH-2.0-a" });
    expect(tunnels[0]?.tunnelSession.id).to.equal(agent.session);
    expect(endpoints[0]).to.deep.include({ publicUrl: `tls://${served}`, tcpAddr: null });
    expect(await invoked("getTunnelSessions")).to.deep.equal({ tunnelSessions: sessions });
    expect(await invoked("getTunnels")).to.deep.equal({ tunnels });
    expect(await invoked("getEndpoints")).to.deep.equal({ endpoints });
    const [refused] = (await plugin.invoke("getTunnels", { id: "tn_x" })).getFailuresList();
    expect(refused?.getReason()).to.equal("id is not an argument here; none is accepted");
  });
});
