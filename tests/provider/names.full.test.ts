import type { Engine, Run } from "../support/engine";
import { changesOf, describeStacks, requestsDuring } from "../support/provider";
import { type Classes, everywhere, NAMES, type Name } from "../support/providers";

interface Declared {
  readonly description: string;
  readonly edge: string;
  readonly formerly?: string;
}

/** No name can be too long, or have characters that no header takes. */
const LONG = `ü${"-long".repeat(60)}`;

describeStacks("An object that a program makes", ({ world, server }) => {
  let stack: Engine;
  let declared: Declared = { description: "first", edge: "shop" };
  before("run the program", async () => {
    stack = await world.stack(server, everywhere(declare));
    await stack.up();
  });

  function declare(provider: Name, tunnels: Classes): void {
    const { description, edge, formerly } = declared;
    const aliases = formerly === undefined ? [] : [{ name: `${provider}-${formerly}` }];
    new tunnels.TlsEdge(`${provider}-${edge}`, { description }, { aliases });
    const { id: edgeId } = new tunnels.HttpsEdge(`${provider}-site`, { description });
    new tunnels.HttpsEdgeTlsTermination(`${provider}-tls`, { edgeId, minVersion: "1.3" });
    new tunnels.HttpsEdgeRoute(`${provider}-all`, { edgeId, match: "/", matchType: "path_prefix" });
    new tunnels.IpPolicy(`${provider}-${LONG}`, { description });
  }

  async function namesAt(path: string): Promise<(string | undefined)[]> {
    const [list] = Object.values<unknown>((await server.rest.get(`${path}?names=true`)).body).filter(
      (value) => Array.isArray(value),
    );
    return (list as { resource_name?: string }[]).map(({ resource_name }) => resource_name);
  }
  const ofBoth = (name: string) => NAMES.map((provider) => `${provider}-${name}`);
  /** Takes the names away: objects that another client made have none. */
  async function withoutNames(): Promise<void> {
    for (const { id } of (await server.rest.get("/edges/tls")).body.tls_edges)
      await server.rest.patch(`/edges/tls/${id}`, {}, { "tunnelplane-name": "" });
    expect(await namesAt("/edges/tls")).to.deep.equal([undefined, undefined]);
  }

  /** The changes of a preview and of a run, which must be the same, and the requests of the run. */
  async function changesNow(): Promise<{ changes: string[]; requests: string[] }> {
    const preview = await stack.preview();
    let run: Run | undefined;
    const requests = await requestsDuring(server, async () => {
      run = await stack.up();
    });
    expect(changesOf(run as Run)).to.have.members(changesOf(preview));
    return { changes: changesOf(preview), requests };
  }

  it("has the name of its resource, cut off where that is too long", async () => {
    expect(await namesAt("/edges/tls")).to.have.members(ofBoth("shop"));
    expect(await namesAt("/edges/https")).to.have.members(ofBoth("site"));
    const [site] = (await server.rest.get("/edges/https")).body.https_edges;
    const [route] = await namesAt(`/edges/https/${site.id}/routes`);
    expect(ofBoth("all")).to.include(route);
    for (const name of await namesAt("/ip_policies")) {
      expect(Buffer.byteLength(String(name))).to.be.within(250, 255);
      expect(ofBoth(LONG).some((whole) => whole.startsWith(String(name)))).to.equal(true);
    }
  });

  it("shows no change, and takes no request, if it has no name yet: the next write brings it along", async () => {
    await withoutNames();
    expect(await changesNow()).to.deep.equal({ changes: [], requests: [] });
    expect(changesOf(await stack.refresh())).to.deep.equal([]);
    expect(await changesNow()).to.deep.equal({ changes: [], requests: [] });
    expect(await namesAt("/edges/tls"), "no write yet").to.deep.equal([undefined, undefined]);
    declared = { ...declared, description: "second" };
    const { changes } = await changesNow();
    expect(changes).to.include.members(ofBoth("shop").map((name) => `update ${name} description`));
    expect(await namesAt("/edges/tls")).to.have.members(ofBoth("shop"));
  });

  it("gets the new name of a renamed resource with the next write, and shows no change before", async () => {
    declared = { ...declared, edge: "store", formerly: "shop" };
    expect(await changesNow()).to.deep.equal({ changes: [], requests: [] });
    expect(await namesAt("/edges/tls")).to.have.members(ofBoth("shop"));
    declared = { ...declared, description: "third" };
    await changesNow();
    expect(await namesAt("/edges/tls")).to.have.members(ofBoth("store"));
  });
});
