import { Tunnelplane } from "@tunnelplane/sdk";
import type { Json } from "../support/api/expect";
import { badQuery, expectRefused, hostport, serverOfThisFile, unique } from "../support/api/expect";
import { sitesOf } from "../support/api/sites";
import { onEveryDatabase, onOneDatabase } from "../support/databases";
import type { Rest, RestAnswer } from "../support/rest";

const DRY = "?dry_run=true&findings=true";
const oidc = {
  issuer: "https://id.example.com",
  client_id: "site",
  client_secret: "canary-of-a-client-secret",
};

type Found = { readonly rule: string; readonly address?: string; readonly certain: boolean };
const findingsIn = ({ body }: RestAnswer): Found[] => body.findings;
const rulesIn = (answer: RestAnswer): string[] => findingsIn(answer).map(({ rule }) => rule);

onEveryDatabase("Exposure", (start) => {
  const server = serverOfThisFile(start);
  const { only } = sitesOf(server);
  const tlsEdge = (fields: Json = {}) => server.created("/edges/tls", { hostports: [hostport()], ...fields });
  const rowsAt = async (address: string, rest: Rest = server.rest) => {
    const answer = await rest.get(`/exposure?address=${encodeURIComponent(address)}`);
    expect(answer.status, answer.text).to.equal(200);
    return answer.body.exposure;
  };

  it("shows who can reach a stored hostport", async () => {
    const { ip_restriction } = await only("10.0.0.0/9", "10.128.0.0/9");
    const backend = await server.created("/backends/tunnel_group", {
      labels: { service: unique("web") },
      description: "web",
    });
    const edge = await tlsEdge({
      ip_restriction,
      backend: { backend_id: backend.id },
      tls_termination: { min_version: "1.3" },
    });
    const [row, ...others] = await rowsAt(edge.hostports[0].toUpperCase());
    expect(others).to.deep.equal([]);
    expect(row).to.deep.include({
      address: edge.hostports[0],
      networks: { v4: ["10.0.0.0/8"], v6: [] },
      client_certificate: null,
      tls: { from: "1.3", ends_at: "edge" },
      goes_to: { kind: "tunnel_group", name: "web", labels: backend.labels },
      route: null,
      unknown: [],
    });
    expect(row.edge).to.include({ kind: "tls_edge", id: edge.id });
    expect(row.words.slice(0, 3)).to.deep.equal([
      { field: "networks", title: "Networks", text: "10.0.0.0/8" },
      { field: "client_certificate", title: "Client certificate", text: null },
      { field: "tls", title: "TLS", text: "from 1.3, ends at the edge" },
    ]);
  });

  it("shows each route of an HTTPS edge, without the secret of its sign-in", async () => {
    const served = hostport();
    const edge = await server.created("/edges/https", { hostports: [served] });
    await server.created(`/edges/https/${edge.id}/routes`, {
      match_type: "path_prefix",
      match: "/admin",
      oidc,
    });
    await server.created(`/edges/https/${edge.id}/routes`, { match_type: "exact_path", match: "/admin" });
    const rows = await rowsAt(served);
    expect(rows.map(({ address }: { address: string }) => address)).to.deep.equal([
      `${served} = /admin`,
      `${served}/admin`,
    ]);
    const [row] = await rowsAt(`${served}/admin`);
    expect(row.sign_in).to.include({ issuer: oidc.issuer, client_id: oidc.client_id });
    expect(row.checks).to.deep.equal(["sign-in"]);
    expect(JSON.stringify(rows)).not.to.contain(oidc.client_secret);
    expect(await rowsAt(`${served}/other`)).to.deep.equal([]);
  });

  it("lists every address once across pages, also the routes of one hostport", async () => {
    const served = hostport();
    const edge = await server.created("/edges/https", { hostports: [served, hostport()] });
    for (const match of ["/a", "/b", "/c", "/d", "/e"])
      await server.created(`/edges/https/${edge.id}/routes`, { match_type: "path_prefix", match });
    const all = (await server.read("/exposure")).exposure.map(({ address }: { address: string }) => address);
    expect(all).to.include.members(["/a", "/b", "/c", "/d", "/e"].map((match) => served + match));
    const walked: string[] = [];
    for (let next: string | null = "/exposure?limit=2"; next; ) {
      const page: RestAnswer["body"] = await server.read(next);
      expect(page.exposure.length).to.be.at.most(2);
      walked.push(...page.exposure.map(({ address }: { address: string }) => address));
      next = page.next_page_uri?.slice(server.url.length) ?? null;
    }
    expect(walked).to.deep.equal(all);
    const client = new Tunnelplane({ baseUrl: server.url, apiKey: server.apiKey });
    const listed: string[] = [];
    for await (const { address } of client.exposure.list({ pageSize: 3 })) listed.push(address);
    await client.close();
    expect(listed).to.deep.equal(all);
  });

  it("names the credentials that may serve an address: to a member its own, and the count of others", async () => {
    const served = hostport();
    await tlsEdge({ hostports: [served] });
    const mine = await server.member();
    const own = (await mine.rest.post("/credentials", { acl: [`bind:${served}`], description: "own" })).body;
    const other = await server.created("/credentials", {
      acl: ["bind:*.example.com"],
      description: "of the admin",
    });
    await server.created("/credentials", { acl: ["bind:elsewhere.example.org"] });
    const [seen] = await rowsAt(served, mine.rest);
    expect(seen.served_by.credentials.map(({ id }: Json) => id)).to.deep.equal([own.id]);
    expect(seen.served_by.others).to.be.at.least(1);
    expect(JSON.stringify(seen)).not.to.contain("of the admin");
    const [all] = await rowsAt(served);
    expect(all.served_by.credentials.map(({ id }: Json) => id)).to.include.members([own.id, other.id]);
    expect(all.served_by.others).to.equal(0);
  });

  it("refuses invalid addresses and unknown parameters", async () => {
    for (const query of [
      ...["address=nonsense", "after_address=/a", "address=a%00b.example.com:443", "limit=0"],
      ...["before_id=x", "address="],
    ]) {
      expectRefused(await server.rest.get(`/exposure?${query}`), badQuery);
    }
    expect(await rowsAt("nobody.example.com:443")).to.deep.equal([]);
  });
});

onOneDatabase("A dry run with findings", (start) => {
  const server = serverOfThisFile(start);
  const expectFound = async (method: string, path: string, body: Json | undefined, ...rules: string[]) => {
    const answer = await server.rest.request(method, path + DRY, body);
    expect(rulesIn(answer), `${method} ${path} ${answer.text}`).to.deep.equal(rules);
    expect(JSON.stringify(findingsIn(answer))).not.to.contain("canary");
    return answer;
  };
  const { only } = sitesOf(server);
  const restricted = async () => {
    const { ip_restriction, ...made } = await only("10.0.0.0/8");
    const edge = await server.created("/edges/tls", { hostports: [hostport()], ip_restriction });
    return { ...made, edge, address: edge.hostports[0] as string };
  };

  it("has the usual answer, and adds the effects of a creation", async () => {
    const { edge, address, policy: id } = await restricted();
    const body = { ip_policy_id: id, cidr: "0.0.0.0/0", action: "allow" };
    const answer = await expectFound("POST", "/ip_policy_rules", body, "network-opened");
    expect(answer.status).to.equal(201);
    expect(answer.body).to.include({ cidr: "0.0.0.0/0", action: "allow" });
    const opened = { rule: "network-opened", severity: "high", address, certain: true, offStack: false };
    expect(findingsIn(answer)[0]).to.deep.include(opened);
    expect(answer.body.finding_limits).to.equal(undefined);
    const [{ networks }] = (await server.read(`/exposure?address=${address}`)).exposure;
    expect(networks).to.deep.equal({ v4: ["10.0.0.0/8"], v6: [] });
    expect((await server.read(`/edges/tls/${edge.id}`)).id).to.equal(edge.id);
  });

  it("shows the effects of updates, modules and deletions, on the object and on those that use it", async () => {
    const { edge, address, rule, policy: id } = await restricted();
    const at = `/edges/tls/${edge.id}`;
    const blue = await server.created("/backends/static", { address: "10.0.0.1:80" });
    const green = await server.created("/backends/static", { address: "10.0.0.2:80" });
    const both = await server.created("/backends/weighted", { backends: { [blue.id]: 100, [green.id]: 0 } });
    await server.rest.put(`${at}/backend`, { backend_id: both.id });
    const rename = await expectFound("PATCH", at, { description: "another" });
    expect([rename.status, rename.body.description]).to.deep.equal([200, "another"]);
    await expectFound("PATCH", at, { hostports: [] }, "address-removed");
    const off = { enabled: false, ip_policy_ids: [id] };
    await expectFound("PUT", `${at}/ip_restriction`, off, "network-opened");
    const removed = await expectFound(
      "DELETE",
      `${at}/ip_restriction`,
      undefined,
      "network-opened",
      "unused",
    );
    expect(removed.status, removed.text).to.equal(200);
    expect(Object.keys(removed.body)).to.deep.equal(["findings", "access"]);
    const weights = (...[a, b]: number[]) => ({ backends: { [blue.id]: a, ...(b && { [green.id]: b }) } });
    const weighted = `/backends/weighted/${both.id}`;
    const moved = await expectFound("PATCH", weighted, weights(10, 90), "traffic-moved");
    expect(findingsIn(moved)[0]?.address).to.equal(address);
    await expectFound("PATCH", weighted, weights(0), "traffic-stopped", "unused");
    await expectFound("PATCH", `/ip_policy_rules/${rule}`, { cidr: "10.0.0.0/7" }, "network-widened");
    await expectFound("DELETE", `/ip_policy_rules/${rule}`, undefined, "network-narrowed");
    await expectFound("DELETE", at, undefined, "address-removed", "unused", "unused");
    expect((await server.read(at)).backend.backend.id).to.equal(both.id);
  });

  it("shows what a change lets in, with the hostport that takes requests from another", async () => {
    const domain = `${unique("w")}.example.org`;
    const [strict, wild] = [`app.${domain}:443`, `*.${domain}:443`];
    await server.created("/edges/tls", { hostports: [wild] });
    const { policy: id } = await restricted();
    const edge = await server.created("/edges/tls", {
      hostports: [strict],
      ip_restriction: { ip_policy_ids: [id] },
    });
    const gone = await server.rest.delete(`/edges/tls/${edge.id}${DRY}`);
    expect(rulesIn(gone)).to.include("opened").and.not.to.include("address-removed");
    expect(findingsIn(gone)[0]).to.include({
      sentence: `\`${strict}\` is now served by \`${wild}\`, which asks for no admitted network.`,
      severity: "high",
      proved: true,
    });
    expect(gone.body.access).to.include({ verdict: "opens" });
    expect(gone.body.access.opened[0]).to.include({ address: wild, everyone: true, new: false });
    expect(gone.body.access.opened[0].example.request.address).to.equal(strict);
    const none = await server.rest.patch(`/edges/tls/${edge.id}${DRY}`, { description: "another" });
    expect(none.body.access).to.include({ verdict: "opens nothing" });
  });

  it("needs findings=true, and works for dry runs only", async () => {
    for (const query of ["?findings=true", "?dry_run=false&findings=true", "?dry_run=true&findings=yes"]) {
      expectRefused(await server.rest.post(`/ip_policies${query}`, {}), badQuery);
    }
    expectRefused(await server.rest.get("/ip_policies?findings=true"), badQuery);
    const plain = await server.rest.post("/ip_policies?dry_run=true&findings=false", {});
    expect(plain.body).not.to.have.property("findings");
  });
});
