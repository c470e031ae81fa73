import type { IncomingMessage } from "node:http";
import type { Engine } from "../support/engine";
import { type Fate, LossyProxy } from "../support/lossyProxy";
import { changesOf, describeStacks, failureOf, makeCertificates, saidDuring } from "../support/provider";
import { type Classes, PROVIDERS } from "../support/providers";

type Name = keyof typeof PROVIDERS;
type Versions = Readonly<Record<string, "1.2" | "1.3">>;
const SECRET = "canary-of-a-failed-update-5c1b9e";

describeStacks("A run that changes several things or fails in between", ({ world, server }) => {
  const providers = Object.keys(PROVIDERS) as Name[];
  const { authority: caPem } = makeCertificates("halves");
  let proxy: LossyProxy;
  let stack: Engine;
  let fateOf: (request: IncomingMessage) => Fate = () => "answered";
  /** Where the modules are declared, and the form of the edges that fail. */
  let place: "inline" | "both" | "apart" | "exchanged" | "neither" = "inline";
  let form: "old" | "new" = "old";
  let credential: string[] | undefined;
  /** Versions of TLS that resources declare for one edge: `inline` is that of the edge's own resource. */
  let twice: { readonly provider: Name; readonly isNew?: true; readonly versions: Versions } | undefined;
  function declare(provider: Name, tunnels: Classes): void {
    const name = (of: string) => `${provider}-${of}`;
    const { id } = new tunnels.CertificateAuthority(name("ca"), { caPem });
    const mutualTls = { certificateAuthorityIds: [id] };
    // The dynamic provider needs no run in which both declare it.
    const isInline = place === "inline" || (place === "both" && provider === "native");
    const inline = isInline ? { mutualTls } : {};
    const edge = new tunnels.TlsEdge(name("moving"), {
      hostports: [`${provider}.example.com:443`],
      ...inline,
    });
    if (place === "both" || place === "apart")
      new tunnels.TlsEdgeMutualTls(name("moved"), { edgeId: edge.id, ...mutualTls });
    const { id: office } = new tunnels.IpPolicy(name("office"));
    new tunnels.IpPolicyRule(name("rule"), { ipPolicyId: office, cidr: "192.0.2.0/24", action: "allow" });
    if (place === "exchanged")
      new tunnels.TlsEdgeIpRestriction(name("instead"), { edgeId: edge.id, ipPolicyIds: [office] });
    if (credential) new tunnels.TunnelCredential(name("credential"), { acl: credential });
    if (twice?.provider === provider) {
      const { isNew, versions } = twice;
      const { inline, ...others } = versions;
      const tlsTermination = inline && { minVersion: inline };
      const host = `twice.${provider}.example.com:443`;
      const made = isNew && new tunnels.TlsEdge(name("inline"), { hostports: [host], tlsTermination });
      for (const [of, minVersion] of Object.entries(others))
        new tunnels.TlsEdgeTlsTermination(name(of), { edgeId: (made ?? edge).id, minVersion });
    }
    const site = new tunnels.HttpsEdge(name("site"), { hostports: [`www.${provider}.example.com:443`] });
    const oidc = { issuer: "https://id.example.com", clientId: form, clientSecret: `${SECRET} ${form}` };
    const modules =
      form === "old"
        ? { oidc }
        : { oidc, compression: {}, webhookVerification: { provider: "github" as const, secret: SECRET } };
    new tunnels.HttpsEdgeRoute(name("route"), {
      edgeId: site.id,
      matchType: "path_prefix",
      match: "/",
      ...modules,
    });
    if (form === "new")
      new tunnels.HttpsEdgeTlsTermination(name("tls"), { edgeId: site.id, minVersion: "1.3" });
  }

  before("declare everything", async () => {
    proxy = await LossyProxy.start(server.url, (request) => fateOf(request));
    stack = await world.stack({ url: proxy.url, apiKey: server.apiKey }, async () => {
      for (const provider of providers) declare(provider, PROVIDERS[provider]);
    });
    await stack.up();
  });

  interface Route {
    readonly oidc: { readonly client_id: string; readonly client_secret: string };
    readonly compression: object | null;
  }
  type Site = { readonly routes: readonly Route[]; readonly tls_termination: object | null };
  interface Edge {
    readonly id: string;
    readonly hostports: readonly string[];
    readonly mutual_tls: object | null;
    readonly ip_restriction: object | null;
    readonly tls_termination: { readonly min_version: string } | null;
  }
  const edges = async (): Promise<Edge[]> => (await server.rest.get("/edges/tls")).body.tls_edges;
  /** Whether an edge had nothing that keeps callers out at any time since it was made. */
  async function everOpen({ id }: Edge): Promise<boolean> {
    const { events } = (await server.rest.get(`/events?object_id=${id}`)).body;
    return events.some(({ object }: { object: Edge }) => !object.mutual_tls && !object.ip_restriction);
  }
  const edgeOf = async (provider: Name): Promise<Edge> =>
    (await edges()).find(({ hostports }) => hostports[0] === `${provider}.example.com:443`) as Edge;

  for (const provider of providers)
    it(`refuses a module that two resources declare with different values, and names both (${provider} provider)`, async () => {
      const refused = (versions: Versions, isNew?: true) => {
        twice = { provider, versions, ...(isNew && { isNew }) };
        // The native provider cannot know the edge of a module before it exists.
        return failureOf(isNew && provider === "native" ? stack.up() : stack.preview());
      };
      const [first, second] = [/`\S+-one`/, /`\S+-two`/];
      expect(await refused({ one: "1.2", two: "1.3" }))
        .to.match(
          /both declare tlsTermination .* with different values \(minVersion\): remove one of the two/,
        )
        .and.match(first)
        .and.match(second);
      expect(await refused({ inline: "1.2", one: "1.3" }, true)).to.match(
        /\(minVersion\): remove `tlsTermination` from `\S+-inline`, or the resource of its own/,
      );
      const made = (await edges()).filter(({ hostports }) => hostports[0]?.startsWith("twice"));
      for (const { tls_termination } of made) expect(tls_termination?.min_version).to.equal("1.2");
      twice = { provider, versions: { one: "1.2", two: "1.2" } };
      const warned = await saidDuring(stack, "warning", () => stack.preview());
      expect(warned.join("\n")).to.match(/both declare tlsTermination .* with equal values/);
      twice = undefined;
    });

  it("moves a module from its edge into a resource of its own: in one run, or in two, and says where that leaves a gap", async () => {
    place = "apart";
    const warned = await saidDuring(stack, "warning", () => stack.preview());
    const gaps = warned.filter((text) => text.includes("not applied in between"));
    expect(gaps.map((text) => text.split(":")[0])).to.deep.equal(["native-moved"]);
    expect(gaps[0]).to.match(/declare it in both places with equal values in one run/);
    expect(warned.filter((text) => /dropped/.test(text)).map((text) => text.split(":")[0])).to.deep.equal([
      "native-moving",
    ]);
    place = "both";
    await stack.up();
    place = "apart";
    await stack.up();
    for (const provider of providers) {
      const edge = await edgeOf(provider);
      expect(edge.mutual_tls, provider).to.be.an("object");
      expect(await everOpen(edge), provider).to.equal(false);
    }
    expect(changesOf(await stack.up({ refresh: true }))).to.deep.equal([]);
  });

  it("exchanges a module of an edge for a resource of its own in one step, also where a run ends in between", async () => {
    const guards = async () => {
      const { mutual_tls, ip_restriction } = await edgeOf("dynamic");
      return [mutual_tls !== null, ip_restriction !== null];
    };
    place = "inline";
    await stack.up();
    place = "exchanged";
    const warned = await saidDuring(stack, "warning", () => stack.preview());
    const gaps = warned.filter((text) => text.includes("neither is applied in between"));
    expect(gaps.map((text) => text.split(":")[0])).to.deep.equal(["native-instead"]);
    fateOf = ({ method, url }) => (method === "PUT" && /ip_restriction/.test(`${url}`) ? "lost" : "answered");
    await failureOf(stack.up());
    fateOf = () => "answered";
    expect(await guards()).to.deep.equal([true, false]);
    await stack.up();
    expect(await guards()).to.deep.equal([false, true]);
    expect(await everOpen(await edgeOf("dynamic"))).to.equal(false);
    expect(changesOf(await stack.up({ refresh: true }))).to.deep.equal([]);

    place = "inline";
    await stack.up();
    place = "exchanged";
    fateOf = ({ method, url }) => (method === "PUT" && /ip_restriction/.test(`${url}`) ? "lost" : "answered");
    await failureOf(stack.up());
    fateOf = () => "answered";
    place = "neither";
    await stack.up();
    expect(await guards()).to.deep.equal([false, false]);
    expect(changesOf(await stack.up({ refresh: true }))).to.deep.equal([]);
    place = "apart";
  });

  it("records what the server has where an answer was lost, so that no half of it counts as unchanged", async () => {
    const sites = async () => (await server.rest.get("/edges/https")).body.https_edges;
    // The update of a route and the creation of a module are done, but the answers are lost, and perhaps
    // those to the questions afterwards.
    for (const after of ["answered", "lost"] as const) {
      form = "new";
      let isLost = false;
      fateOf = ({ method, url = "" }) => {
        if (!/routes|tls_termination/.test(url)) return "answered";
        if (method === "GET") return isLost ? after : "answered";
        isLost = true;
        return "answer lost";
      };
      const message = await failureOf(stack.up({ continueOnError: true }));
      expect(message).to.contain("the connection was reset");
      for (const { routes, tls_termination } of (await sites()) as Site[])
        expect([routes[0]?.oidc.client_id, tls_termination])
          .to.deep.include.members(["new"])
          .and.not.include(null);
      for (const text of [stack.stateFile(), stack.events.join("\n")])
        expect(text.includes(SECRET)).to.equal(false);

      fateOf = () => "answered";
      form = "old";
      await stack.up();
      for (const { routes, tls_termination } of (await sites()) as Site[]) {
        const { oidc, compression } = routes[0] as Route;
        expect([oidc.client_id, oidc.client_secret, compression, tls_termination]).to.deep.equal([
          "old",
          `${SECRET} old`,
          null,
          null,
        ]);
      }
      expect(changesOf(await stack.up())).to.deep.equal([]);
    }
    form = "new";
    await stack.up();
    expect(changesOf(await stack.up({ refresh: true }))).to.deep.equal([]);
    for (const text of [stack.stateFile(), stack.events.join("\n"), server.log])
      expect(text.includes(SECRET)).to.equal(false);
  });

  it("leaves no object behind whose creation was not answered: the next run takes it, or deletes it", async () => {
    const made = async () =>
      (await server.rest.get("/credentials")).body.credentials.map(({ id }: { id: string }) => id);
    async function lose(service: string): Promise<string[]> {
      credential = [`bind:service=${service}`];
      fateOf = ({ method, url = "" }) =>
        method === "POST" && url.startsWith("/credentials") ? "answer lost" : "answered";
      await failureOf(stack.up({ continueOnError: true }));
      fateOf = () => "answered";
      const ids = await made();
      expect(ids).to.have.length(providers.length);
      return ids;
    }
    const lost = await lose("first");
    await stack.up({ refresh: true });
    expect(await made()).to.have.members(lost);
    expect(changesOf(await stack.up())).to.deep.equal([]);

    credential = undefined;
    await stack.up();
    expect(await made()).to.deep.equal([]);
    await lose("second");
    await stack.destroy();
    expect(await made()).to.deep.equal([]);

    // A key with other scopes gets no answer that holds a token.
    const left = await lose("third");
    const { key_id } = await server.read("/caller");
    await server.rest.patch(`/api_keys/${key_id}`, { scopes: ["write"] });
    const warnings = await saidDuring(stack, "warning", () => stack.destroy());
    for (const provider of providers)
      expect(warnings.join("\n")).to.contain(
        `may be left: look there for one with the name "${provider}-credential"`,
      );
    expect(await made()).to.have.members(left);
  });
});
