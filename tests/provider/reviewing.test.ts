import { expect } from "chai";
import type { Engine } from "../support/engine";
import { changesOf, makeCertificates, World } from "../support/provider";
import { type Classes, onEveryProvider } from "../support/providers";

const { authority } = makeCertificates("clients");

/** The warnings among what an engine emitted, as `<name of the resource>: <text>`. */
const warningsIn = (events: readonly string[]): string[] =>
  events
    .map((event) => JSON.parse(event).diagnosticEvent)
    .filter((event) => event?.severity === "warning")
    .map(({ urn, message }) => `${urn?.split("::").at(-1)}: ${message.trim()}`);

/** The warnings of one preview. */
async function warningsOf(stack: Engine): Promise<string[]> {
  const before = stack.events.length;
  await stack.preview();
  return warningsIn(stack.events.slice(before));
}

/** A program whose dangerous parts are switched on by `danger`. */
function program(tunnels: Classes, danger: boolean): void {
  const acl = ["bind:app.example.com"];
  new tunnels.TunnelCredential("emptied", { acl: danger ? [] : acl });
  new tunnels.SshCredential("everything", { publicKey: KEY, acl: danger ? ["*"] : acl });
  new tunnels.TunnelCredential("always-open", {});
  new tunnels.TunnelCredential("narrowed", { acl: danger ? acl : [] });
  const policy = new tunnels.IpPolicy("policy");
  const rule = { ipPolicyId: policy.id, action: "allow" as const };
  new tunnels.IpPolicyRule("v4", { ...rule, cidr: danger ? "0.0.0.0/0" : "192.0.2.0/24" });
  new tunnels.IpPolicyRule("v6", { ...rule, cidr: danger ? "::/0" : "2001:db8::/32" });
  new tunnels.IpPolicyRule("denied", {
    ...rule,
    cidr: danger ? "128.0.0.0/1" : "198.51.100.0/24",
    action: "deny",
  });
  const ca = new tunnels.CertificateAuthority("ca", { caPem: authority });
  const mutualTls = { certificateAuthorityIds: [ca.id] };
  new tunnels.TlsEdge("without", { mutualTls: danger ? undefined : mutualTls });
  new tunnels.TlsEdge("disabled", { mutualTls: { ...mutualTls, enabled: !danger } });
  new tunnels.TlsEdge("as-before", {
    mutualTls: { ...mutualTls, enabled: false },
    description: danger ? "new" : "old",
  });
  const edgeId = new tunnels.TlsEdge("edge").id;
  new tunnels.TlsEdgeMutualTls("module", { edgeId, ...mutualTls, enabled: !danger });
}

const KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIMkNYQWiQPNhl0hNGkgAazcHXyNW+jYlTu7YdBlCiWxn ada";

onEveryProvider("A reviewer of a preview", (tunnels) => {
  const world = new World();
  after(() => world.close());

  it("is warned once, at the resource, if a change to it opens something or switches it off", async () => {
    const server = await world.server();
    const group = (await server.rest.post("/backends/tunnel_group", { labels: { a: "b" } })).body.id;
    let danger = false;
    const stack = await world.stack(server, async () => {
      program(tunnels, danger);
      new tunnels.WeightedBackend("weighted", { backends: { [group]: danger ? 0 : 100 } });
    });
    await stack.up();
    expect(await warningsOf(stack)).to.deep.equal([]);
    danger = true;
    expect(await warningsOf(stack)).to.have.members([
      "emptied: TunnelCredential: `acl` is empty now: the credential may bind everything",
      'everything: SshCredential: `acl` holds "*": the credential may bind everything',
      "v4: IpPolicyRule: `cidr` is 0.0.0.0/0: every IPv4 address is let in",
      "v6: IpPolicyRule: `cidr` is ::/0: every IPv6 address is let in",
      "without: TlsEdge: `mutualTls` is removed: the edge no longer asks for a client certificate",
      "disabled: TlsEdge: `mutualTls` has `enabled` false: the module does nothing",
      "module: TlsEdge: `enabled` is false: the module does nothing",
      "weighted: WeightedBackend: `backends` has weights of 0 only: traffic goes nowhere",
    ]);
    await stack.up();
    expect(await warningsOf(stack), "no warning is repeated").to.deep.equal([]);
  });

  it("is warned once that there is no API key, if the run would need one", async () => {
    const server = await world.server();
    const two = async () => void ["a", "b"].map((name) => new tunnels.IpPolicy(name));
    const stack = await world.stack({ url: server.url, apiKey: "" }, two);
    const warnings = await warningsOf(stack);
    expect(warnings).to.have.length(1);
    expect(warnings[0]).to.contain("There is no API key for").and.to.contain("TUNNELPLANE_API_KEY");
  });

  it("never sees the provider's hidden properties among the changes of a refresh", async () => {
    const server = await world.server();
    const stack = await world.stack(
      server,
      async () => void new tunnels.IpPolicy("office", { description: "ours" }),
    );
    await stack.up();
    const { id } = (await server.rest.get("/ip_policies")).body.ip_policies[0];
    await server.rest.patch(`/ip_policies/${id}`, { description: "theirs" });
    const before = stack.events.length;
    const previewed = await stack.preview({ refresh: true, diff: true });
    const refreshed = await stack.refresh();
    expect(changesOf(previewed)).to.deep.equal(["update office description"]);
    const shown = [previewed.stdout, refreshed.stdout].join();
    expect(shown).not.to.match(/__intent|__provider/);
    const steps = stack.events.slice(before).map((event) => JSON.parse(event));
    const named = steps.flatMap(({ resourcePreEvent, resOutputsEvent }) => {
      const { diffs, detailedDiff } = (resourcePreEvent ?? resOutputsEvent)?.metadata ?? {};
      return [...(diffs ?? []), ...Object.keys(detailedDiff ?? {})] as string[];
    });
    expect(named.filter((name) => name.startsWith("__"))).to.deep.equal([]);
    expect(changesOf(await stack.up())).to.deep.equal(["update office description"]);
    expect(changesOf(await stack.up())).to.deep.equal([]);
  });
});
