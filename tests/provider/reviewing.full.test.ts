import type { Engine, Run } from "../support/engine";
import { changesOf, describeStacks, makeCertificates, makeSshKey, saidDuring } from "../support/provider";
import { type Classes, NAMES, type Name, PROVIDERS } from "../support/providers";

const { authority } = makeCertificates("clients");
const warningsOf = (stack: Engine) => saidDuring(stack, "warning", () => stack.preview());

/** A program whose dangerous parts are switched on by `danger`. */
function declare(provider: Name, tunnels: Classes, danger: boolean): void {
  const acl = ["bind:app.example.com"];
  new tunnels.TunnelCredential(`${provider}-emptied`, { acl: danger ? [] : acl });
  new tunnels.SshCredential(`${provider}-everything`, {
    publicKey: KEYS[provider],
    acl: danger ? ["*"] : acl,
  });
  new tunnels.TunnelCredential(`${provider}-always-open`, {});
  new tunnels.TunnelCredential(`${provider}-narrowed`, { acl: danger ? acl : [] });
  const policy = new tunnels.IpPolicy(`${provider}-policy`);
  const rule = { ipPolicyId: policy.id, action: "allow" as const };
  new tunnels.IpPolicyRule(`${provider}-v4`, { ...rule, cidr: danger ? "0.0.0.0/0" : "192.0.2.0/24" });
  new tunnels.IpPolicyRule(`${provider}-v6`, { ...rule, cidr: danger ? "::/0" : "2001:db8::/32" });
  new tunnels.IpPolicyRule(`${provider}-denied`, {
    ...rule,
    cidr: danger ? "128.0.0.0/1" : "198.51.100.0/24",
    action: "deny",
  });
  const ca = new tunnels.CertificateAuthority(`${provider}-ca`, { caPem: authority });
  const mutualTls = { certificateAuthorityIds: [ca.id] };
  new tunnels.TlsEdge(`${provider}-without`, { mutualTls: danger ? undefined : mutualTls });
  new tunnels.TlsEdge(`${provider}-disabled`, { mutualTls: { ...mutualTls, enabled: !danger } });
  new tunnels.TlsEdge(`${provider}-as-before`, {
    mutualTls: { ...mutualTls, enabled: false },
    description: danger ? "new" : "old",
  });
  const edgeId = new tunnels.TlsEdge(`${provider}-edge`).id;
  new tunnels.TlsEdgeMutualTls(`${provider}-module`, { edgeId, ...mutualTls, enabled: !danger });
}

const KEYS = { dynamic: makeSshKey(), native: makeSshKey() };

describeStacks("A reviewer of a preview", ({ world, server }) => {
  it("is warned once, at the resource, if a change to it opens something or switches it off, and never sees hidden properties", async () => {
    const group = (await server.rest.post("/backends/tunnel_group", { labels: { a: "b" } })).body.id;
    let danger = false;
    const stack = await world.stack(server, async () => {
      for (const name of NAMES) {
        declare(name, PROVIDERS[name], danger);
        new PROVIDERS[name].IpPolicy(`${name}-office`, { description: "ours" });
        new PROVIDERS[name].WeightedBackend(`${name}-weighted`, { backends: { [group]: danger ? 0 : 100 } });
      }
    });
    await stack.up();
    // What somebody else changes is no danger of the program's. The provider's hidden properties are not
    // shown.
    for (const { id, description } of (await server.rest.get("/ip_policies")).body.ip_policies)
      if (description === "ours") await server.rest.patch(`/ip_policies/${id}`, { description: "theirs" });
    const updates = NAMES.map((name) => `update ${name}-office description`);
    const before = stack.events.length;
    let previewed: Run | undefined;
    const said = await saidDuring(stack, "warning", async () => {
      previewed = await stack.preview({ refresh: true, diff: true });
    });
    expect(said).to.deep.equal([]);
    const refreshed = await stack.refresh();
    expect(changesOf(previewed as Run)).to.have.members(updates);
    expect([previewed?.stdout, refreshed.stdout].join()).not.to.match(/__intent|__provider/);
    const steps = stack.events.slice(before).map((event) => JSON.parse(event));
    const named = steps.flatMap(({ resourcePreEvent, resOutputsEvent }) => {
      const { diffs, detailedDiff } = (resourcePreEvent ?? resOutputsEvent)?.metadata ?? {};
      return [...(diffs ?? []), ...Object.keys(detailedDiff ?? {})] as string[];
    });
    expect(named.filter((name) => name.startsWith("__"))).to.deep.equal([]);
    danger = true;
    const expected = [
      "emptied: TunnelCredential: The tunnel credential `…` may now bind everything (before: `bind:app.example.com`). (credential-widened)",
      "everything: SshCredential: The SSH credential `…` may now bind everything (before: `bind:app.example.com`). (credential-widened)",
      "v4: IpPolicyRule: `…` now admits every IPv4 address. (network-opened)",
      "v6: IpPolicyRule: `…` now admits every IPv6 address. (network-opened)",
      "without: TlsEdge: `…` no longer asks for a client certificate. (client-certificate-dropped)",
      "disabled: TlsEdge: `…` no longer asks for a client certificate. (client-certificate-dropped)",
      "module: TlsEdgeMutualTls: `…` no longer asks for a client certificate. (client-certificate-dropped)",
      "weighted: WeightedBackend: `…` no longer has anything to answer it: no backend of it has a weight or is there. (traffic-stopped)",
    ];
    expect(await warningsOf(stack)).to.have.members(
      NAMES.flatMap((name) =>
        expected.map((warning) => `${name}-${warning.replace("…", `${name}-${warning.split(":")[0]}`)}`),
      ),
    );
    expect(changesOf(await stack.up())).to.include.members(updates);
    let again: Run | undefined;
    const repeated = await saidDuring(stack, "warning", async () => {
      again = await stack.preview();
    });
    expect(repeated).to.deep.equal([]);
    expect(changesOf(again as Run)).to.deep.equal([]);
  });

  it("is warned once that there is no API key, if the run would need one", async () => {
    const stack = await world.stack({ url: server.url, apiKey: "" }, async () => {
      for (const name of NAMES) for (const one of ["a", "b"]) new PROVIDERS[name].IpPolicy(`${name}-${one}`);
    });
    const warnings = await warningsOf(stack);
    expect(warnings, "one of each provider").to.have.length(NAMES.length);
    expect(new Set(warnings.map((warning) => warning.split("-")[0])).size).to.equal(NAMES.length);
    for (const warning of warnings)
      expect(warning).to.contain("There is no API key for").and.to.contain("TUNNELPLANE_API_KEY");
  });
});
