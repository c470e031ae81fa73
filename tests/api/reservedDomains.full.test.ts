import type { Refusal } from "../support/api/expect";
import { expectRefused, invalid, notFound, serverOfThisFile, unique } from "../support/api/expect";
import { serverCertificate, sshKey } from "../support/api/fixtures";
import { onEveryDatabase, onOneDatabase } from "../support/databases";
import type { Rest } from "../support/rest";

const PATH = "/reserved_domains";

onEveryDatabase("Reserved domains", (start) => {
  const server = serverOfThisFile(start);
  const uploaded = async (name: string): Promise<string> =>
    (await server.created("/tls_certificates", serverCertificate(name))).id;
  const newDomain = () => `${unique("d")}.example.org`;
  const POLICY = { authority: "letsencrypt", private_key_type: "ecdsa" };

  it("have a certificate or a policy: each takes the place of the other", async () => {
    const domain = newDomain();
    const [one, other] = [await uploaded(domain), await uploaded(domain)];
    const made = await server.created(PATH, { domain, certificate_id: one, resolves_to: [] });
    expect(made).to.deep.include({ region: "", resolves_to: null, certificate_management_policy: null });
    expect(made.certificate).to.deep.equal({ id: one, uri: await server.uriOf(`/tls_certificates/${one}`) });
    const patched = async (body: object) => {
      const answer = await server.rest.patch(made.uri, body);
      expect(answer.status, answer.text).to.equal(200);
      return answer.body;
    };
    expect(await patched({ certificate_management_policy: {} })).to.deep.include({
      certificate: null,
      certificate_management_policy: POLICY,
    });
    const named = { resolves_to: [{ value: "eu" }] };
    expect(await patched(named)).to.deep.include(named);
    expect((await patched({ resolves_to: [] })).resolves_to).to.equal(null);
    // Public clients send the policy back beside another certificate.
    expect(await patched({ certificate_id: other, certificate_management_policy: POLICY })).to.deep.include({
      certificate: { id: other, uri: await server.uriOf(`/tls_certificates/${other}`) },
      certificate_management_policy: null,
    });
    expect((await patched({ certificate_id: "" })).certificate.id).to.equal(other);
    expect((await patched({ certificate_id: other, description: "ours" })).description).to.equal("ours");
    expectRefused(
      await server.rest.patch(made.uri, {
        certificate_id: one,
        certificate_management_policy: { private_key_type: "rsa" },
      }),
      invalid("certificate_id", "certificate_management_policy"),
    );
    expectRefused(
      await server.rest.post(PATH, {
        domain: newDomain(),
        certificate_id: one,
        certificate_management_policy: {},
      }),
      invalid("certificate_id"),
    );
  });

  it("give up their certificate or policy at addresses of their own", async () => {
    const domain = newDomain();
    const { uri } = await server.created(PATH, { domain, certificate_id: await uploaded(domain) });
    expectRefused(await server.rest.delete(`${uri}/certificate_management_policy`), {
      status: 404,
      code: "TP_1302",
      mentions: ["certificate_management_policy"],
    });
    expect((await server.rest.delete(`${uri}/certificate?dry_run=true`)).status).to.equal(204);
    expect((await server.read(uri)).certificate).to.not.equal(null);
    expect((await server.rest.delete(`${uri}/certificate`)).status).to.equal(204);
    expect((await server.read(uri)).certificate).to.equal(null);
    expect((await server.rest.delete(`${uri}/certificate`)).status).to.equal(404);
    await server.rest.patch(uri, { certificate_management_policy: { private_key_type: "rsa" } });
    expect((await server.rest.delete(`${uri}/certificate_management_policy`)).status).to.equal(204);
    expect((await server.read(uri)).certificate_management_policy).to.equal(null);
  });

  it("take only a certificate that covers them", async () => {
    const wildcard = await uploaded("*.wild.example.org");
    await server.created(PATH, { domain: "a.wild.example.org", certificate_id: wildcard });
    await server.created(PATH, { domain: "*.wild.example.org", certificate_id: wildcard });
    for (const domain of ["b.c.wild.example.org", "wild.example.org", "*.c.wild.example.org"])
      expectRefused(
        await server.rest.post(PATH, { domain, certificate_id: wildcard }),
        invalid("certificate_id", "*.wild.example.org", domain),
      );
    const { uri } = await server.created(PATH, { domain: newDomain() });
    expectRefused(await server.rest.patch(uri, { certificate_id: wildcard }), invalid("certificate_id"));
  });

  const FOREIGN: Refusal = { status: 409, code: "TP_1501", mentions: ["another project"] };
  const claims: Record<string, (rest: Rest, name: string) => ReturnType<Rest["post"]>> = {
    "a hostport of a TLS edge": (rest, name) => rest.post("/edges/tls", { hostports: [`${name}:443`] }),
    "a hostport of an HTTPS edge": (rest, name) => rest.post("/edges/https", { hostports: [`${name}:8443`] }),
    "an ACL of a tunnel credential": (rest, name) => rest.post("/credentials", { acl: [`bind:${name}`] }),
    "an ACL with a port": (rest, name) => rest.post("/credentials", { acl: [`bind:${name}:443`] }),
    "an ACL of an SSH credential": (rest, name) =>
      rest.post("/ssh_credentials", { public_key: sshKey().openssh, acl: [`bind:${name}`] }),
    "the name of an SSH host": async (rest, name) => {
      const { id } = (await rest.post("/ssh_certificate_authorities", {})).body;
      return rest.post("/ssh_host_certificates", {
        ssh_certificate_authority_id: id,
        public_key: sshKey().openssh,
        principals: [name],
      });
    },
    "a reserved domain": (rest, name) => rest.post(PATH, { domain: name }),
  };

  for (const [what, claim] of Object.entries(claims)) {
    it(`${what} that another project reserved is refused, above and below too`, async () => {
      const { name } = await server.created("/projects", { name: unique("team") });
      const other = server.rest.inside(name);
      const root = unique("r");
      await server.created(PATH, { domain: `app.${root}.example.net` });
      await server.created(PATH, { domain: `*.deep.${root}.example.net` });
      for (const free of [`${root}.example.net`, `x.app.${root}.example.net`, `deep.${root}.example.net`])
        expect((await claim(other, free)).status, free).to.equal(201);
      for (const kept of [`APP.${root}.example.net`, `a.b.deep.${root}.example.net`, `*.${root}.example.net`])
        expectRefused(await claim(other, kept), FOREIGN);
      expect((await claim(server.rest, `b.deep.${root}.example.net`)).status).to.equal(201);
    });

    it(`a domain cannot be reserved over ${what} of another project`, async () => {
      const { name } = await server.created("/projects", { name: unique("team") });
      const other = server.rest.inside(name);
      const root = unique("r");
      expect((await claim(other, `app.${root}.example.net`)).status).to.equal(201);
      expect((await claim(other, `*.deep.${root}.example.net`)).status).to.equal(201);
      for (const domain of [`app.${root}.example.net`, `*.${root}.example.net`, `x.deep.${root}.example.net`])
        expectRefused(await server.rest.post(PATH, { domain }), FOREIGN);
      await server.created(PATH, { domain: `${root}.example.net` });
      expect((await other.post(PATH, { domain: `*.app.${root}.example.net` })).status).to.equal(201);
    });
  }

  it("of two projects that reserve, or use, overlapping names at once, one gets them", async () => {
    const [one, other] = await Promise.all(
      [1, 2].map(async () =>
        server.rest.inside((await server.created("/projects", { name: unique("team") })).name),
      ),
    );
    if (!one || !other) throw new Error("there are two");
    for (let round = 0; round < 8; round++) {
      const root = `${unique("r")}.example.net`;
      const edge = { hostports: [`a.${root}:443`] };
      const answers = await Promise.all([
        one.post(PATH, { domain: `*.${root}` }),
        round % 2 === 0 ? other.post(PATH, { domain: `a.${root}` }) : other.post("/edges/tls", edge),
      ]);
      expect(
        answers.map(({ status }) => status).sort(),
        answers.map(({ text }) => text).join(),
      ).to.deep.equal([201, 409]);
    }
  });

  it("are reserved by admins of the account alone, where there is more than one project", async () => {
    await server.created("/projects", { name: unique("team") });
    const { rest } = await server.member();
    expectRefused(await rest.post(PATH, { domain: newDomain() }), {
      status: 403,
      code: "TP_1200",
      mentions: ["admins of the account"],
    });
  });

  it("may be deleted while an edge uses them, and a deleted one is not there", async () => {
    const domain = newDomain();
    const { uri } = await server.created(PATH, { domain });
    await server.created("/edges/tls", { hostports: [`${domain}:443`] });
    expect((await server.rest.delete(uri)).status).to.equal(204);
    expectRefused(await server.rest.get(uri), notFound);
  });
});

onOneDatabase("A server that requires reserved domains", (start) => {
  const server = serverOfThisFile(() =>
    start({ args: ["--require-reserved-domains", "--cname-target", "edge.example.com"] }),
  );

  it("refuses a hostport without one, and says where a CNAME record should lead", async () => {
    expectRefused(
      await server.rest.post("/edges/https", { hostports: ["app.example.com:443"] }),
      invalid("hostports[0]", "app.example.com", "reserved_domains"),
    );
    const { cname_target: target } = await server.created(PATH, { domain: "*.example.com" });
    expect(target).to.equal("edge.example.com");
    await server.created("/edges/https", { hostports: ["app.example.com:443"] });
  });
});
