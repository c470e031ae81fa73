import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { ServerSource } from "../../gateway/src/server/source";
import { unique } from "../support/api/expect";
import { sshKey } from "../support/api/fixtures";
import type { Rest } from "../support/rest";
import { ended, runningForAllTests, TRUSTING } from "./running";
import { Upstream } from "./traffic";

const APP = "app.example.com";

describe("Agents that come in by ssh -R", () => {
  const running = runningForAllTests();
  before("start a gateway, for a hostport without a backend", async () => {
    const one = running.now;
    one.runWithAgents();
    await one.api.tlsEdges.create({ hostports: [`${APP}:443`] });
    await one.gateway.logged("edge applied");
  });

  it("serve a hostport with a key or a token, and lose it when the credential is deleted or narrowed", async () => {
    const one = running.now;
    const [key, wide] = [
      await one.credential(["bind:*.example.com"]),
      await one.api.tunnelCredentials.create({ acl: ["bind:*.example.com"] }),
    ];
    const first = one.agent(key.key, `${APP}:443`);
    await one.becomes(200, APP);
    await one.api.sshCredentials.delete(key.id);
    await ended(first);
    expect((await one.ask(APP)).status).to.equal(0);
    const second = one.agent({ token: wide.token ?? "" }, `${APP}:443`);
    await one.becomes(200, APP);
    await one.api.tunnelCredentials.update(wide.id, { acl: ["bind:other.example.com"] });
    await ended(second);
    expect((await one.ask(APP)).status).to.equal(0);
  });

  it("lose their hostport when their credential ends, and may come back once it has another end", async () => {
    const one = running.now;
    const { key, id } = await one.credential();
    const agent = one.agent(key, `${APP}:443`);
    await one.becomes(200, APP);
    await one.api.sshCredentials.update(id, { expires_at: new Date(Date.now() + 2000).toISOString() });
    await ended(agent);
    expect((await one.ask(APP)).status).to.equal(0);
    expect(await ended(one.agent(key, `${APP}:443`))).to.equal(255);
    await one.api.sshCredentials.update(id, { expires_at: null });
    one.agent(key, `${APP}:443`);
    await one.becomes(200, APP);
    await one.api.sshCredentials.delete(id);
  });

  it("are refused what an ACL does not allow and what nobody declared, and strangers are refused", async () => {
    const one = running.now;
    const { key, id } = await one.credential(["bind:other.example.com", "bind:service=web"]);
    const tries = [
      [key, `${APP}:443`],
      [key, "other.example.com:443"],
      [key, "service=db:1"],
      [key, "service=web:0"],
      [sshKey(), `${APP}:443`],
      [{ token: "tpt_of-nobody" }, `${APP}:443`],
    ] as const;
    for (const [proof, bind] of tries) expect(await ended(one.agent(proof, bind)), bind).to.equal(255);
    const said = await text(one.agent(key, `${APP}:443`).stderr as Readable);
    const why = `bind:${APP}:443 is not allowed by the ACL of credential ${id}: add it to its acl, or bind what it allows`;
    expect(said, "in the terminal").to.contain(why);
    expect(one.gateway.log).to.contain(
      `"credential":"${id}","reason":"its credential does not allow it: ${why}"`,
    );
    expect(one.gateway.log)
      .to.contain("its credential does not allow it")
      .and.to.contain("no edge without a backend declares this hostport")
      .and.to.contain("expected a port from 1 to 65535");
  });

  it("may forward what they bind and nothing else: no shell, no command, no way into the gateway's network", async () => {
    const one = running.now;
    const { key } = await one.credential();
    for (const args of [
      ["any@127.0.0.1", "id"],
      ["-T", "any@127.0.0.1"],
      ["-s", "any@127.0.0.1", "sftp"],
      ["-W", one.upstream.address, "any@127.0.0.1"],
    ]) {
      const child = one.ssh(key, args, [...TRUSTING, "LogLevel=DEBUG3"]);
      const [out, said] = await Promise.all([
        text(child.stdout as Readable),
        text(child.stderr as Readable),
        ended(child),
      ]);
      expect([out, child.exitCode], args.join(" ")).to.deep.equal(["", 255]);
      expect(said).to.contain("Authenticated to 127.0.0.1").and.to.contain("will use strict KEX ordering");
    }
  });

  it("are ignored from an address that failed to log in twenty times within a minute", async () => {
    const one = running.now;
    const { key } = await one.credential();
    const there = { options: [...TRUSTING, "BindAddress=127.0.0.3"] };
    const start = one.gateway.log.length;
    expect(await ended(one.agent(key, "unknown.example.com:443", there))).to.equal(255);
    // It was let in.
    expect(one.gateway.log.slice(start)).to.contain("no edge without a backend declares this hostport");
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        ended(one.agent({ token: `tpt_wrong-${index}` }, `${APP}:443`, there)),
      ),
    );
    const before = one.gateway.log;
    expect(await ended(one.agent(key, `${APP}:443`, there))).to.equal(255);
    expect(one.gateway.log.slice(before.length)).not.to.contain("agent");
  });

  it("serve hostports and labels of their own project and of shared ones alone, also where labels are equal", async () => {
    const one = running.now;
    const admin = one.server.rest;
    const made: [Rest, string][] = [];
    const create = async (rest: Rest, path: string, body: object) => {
      const object = await rest.created(path, body);
      made.unshift([rest, object.uri]);
      return object;
    };
    const [name, bare] = [unique("shop-"), "bare.example.com"];
    const project = await create(admin, "/projects", { name });
    const inside = admin.inside(name);
    const sites = { "here.example.com": admin, "there.example.com": inside };
    const edges = [await create(inside, "/edges/tls", { hostports: [`${bare}:443`] })];
    for (const [site, rest] of Object.entries(sites)) {
      const { id } = await create(rest, "/backends/tunnel_group", { labels: { service: "twin" } });
      const body = { hostports: [`${site}:443`], backend: { backend_id: id } };
      edges.push(await create(rest, "/edges/tls", body));
    }
    const { key, id: credential } = await one.credential();
    const { token } = await create(inside, "/credentials", {});
    const servedIn = async (...projects: string[]) => {
      const source = new ServerSource({ baseUrl: one.server.url, apiKey: one.key, projects });
      await source.next(AbortSignal.timeout(10_000)).finally(() => source.close());
      return source.entries.flatMap(({ fields }) => ("hostports" in fields ? fields.hostports : []));
    };
    const other = await Upstream.start("two");
    try {
      for (const edge of edges) await one.reported(edge.id);
      const ours = one.agent(key, "service=twin:443");
      const theirs = one.agent({ token }, "service=twin:443", { local: other.address });
      await one.until(async () => (await one.answers("here.example.com")) === "one");
      await one.until(async () => (await one.answers("there.example.com")) === "two");
      ours.kill("SIGKILL");
      await ended(ours);
      await one.until(async () => (await one.ask("here.example.com")).status === 0);
      expect(await one.answers("there.example.com")).to.equal("two");
      expect(await ended(one.agent(key, `${bare}:443`))).to.equal(255);
      expect((await one.ask(bare)).status).to.equal(0);
      expect(await servedIn(name)).to.have.members([`${bare}:443`, "there.example.com:443"]);
      expect(await servedIn("default"))
        .to.include("here.example.com:443")
        .and.not.to.include(`${bare}:443`);
      expect(await servedIn("default", name)).to.include.members([`${APP}:443`, `${bare}:443`]);
      const refusal = await servedIn(name, "nobody").catch((error: Error) => error.message);
      expect(refusal).to.contain('there is no project "nobody" here');
      expect((await admin.patch(`/projects/${project.id}`, { shared: true })).status).to.equal(200);
      one.agent(key, `${bare}:443`);
      await one.until(async () => (await one.answers(bare)) === "one");
      theirs.kill("SIGKILL");
      one.agent(key, "service=twin:443");
      await one.until(async () => (await one.answers("there.example.com")) === "one");
    } finally {
      await one.api.sshCredentials.delete(credential);
      await admin.patch(`/projects/${project.id}`, { shared: false });
      for (const [rest, uri] of made) await rest.delete(uri);
    }
    await one.until(async () => (await one.status()).agents.length === 0);
  });

  it("serve tunnel groups by labels, share their load, and are reported to the server; an agent that leaves drops out", async () => {
    const one = running.now;
    const site = "group.example.com";
    const group = await one.api.tunnelGroupBackends.create({ labels: { service: "web" } });
    const edge = await one.api.tlsEdges.create({
      hostports: [`${site}:443`],
      backend: { backend_id: group.id },
    });
    const { key, id } = await one.credential(["bind:service=web", "bind:env=*"]);
    const other = await Upstream.start("two");
    await one.reported(edge.id);
    const first = one.agent(key, "service=web,env=prod:443");
    one.agent(key, "service=web:443", { local: other.address });
    const names = new Set<string | undefined>();
    await one.until(async () => {
      const [a, b] = await Promise.all([one.answers(site), one.answers(site)]);
      names.add(a).add(b);
      return names.has("one") && names.has("two");
    });
    const agents = async () => (await one.status()).agents;
    await one.until(async () => (await agents()).length === 2);
    const binds = (await agents()).map(({ credential, bind }) => [credential, ...bind].sort());
    expect(binds).to.have.deep.members([
      [id, "bind:service=web"].sort(),
      [id, "bind:service=web", "bind:env=prod"].sort(),
    ]);
    first.kill("SIGKILL");
    await ended(first);
    await one.until(async () => (await one.answers(site)) === "two");
    for (let index = 0; index < 10; index++) expect(await one.answers(site)).to.equal("two");
    await one.until(async () => (await agents()).length === 1);
  });

  it("know the gateway by a certificate of the API, without trust on first use", async () => {
    const one = running.now;
    const { key } = await one.credential();
    await one.gateway.stop();
    const authority = await one.api.sshCertificateAuthorities.create({});
    const certify = (public_key: string, valid_until?: string) =>
      one.api.sshHostCertificates.create({
        ...{ ssh_certificate_authority_id: authority.id, public_key, principals: ["127.0.0.1"] },
        ...(valid_until ? { valid_until } : {}),
      });
    const own = await certify(readFileSync(join(one.state, "ssh_host_key.pub"), "utf8").trim());
    const foreign = await certify(sshKey().openssh);
    const trusting = (name: string, line: string) => {
      const file = join(one.folder, name);
      writeFileSync(file, `@cert-authority ${line}\n`);
      return { options: ["StrictHostKeyChecking=yes", `UserKnownHostsFile=${file}`] };
    };
    one.runWithAgents("--ssh-host-certificate", own.id);
    await one.gateway.logged("edge applied");
    const first = one.agent(key, `${APP}:443`, trusting("right", `* ${authority.public_key}`));
    await one.becomes(200, APP);
    const kept = () => readFileSync(join(one.state, "ssh_host_key-cert.json"), "utf8");
    const before = kept();
    await certify(own.public_key, "2100-06-15T12:00:00Z");
    await one.api.sshHostCertificates.delete(own.id);
    await one.until(() => kept() !== before);
    const { options } = trusting("right", `* ${authority.public_key}`);
    const next = one.agent(key, `${APP}:443`, { options: [...options, "LogLevel=DEBUG1"] });
    let said = "";
    next.stderr?.on("data", (chunk) => {
      said += chunk;
    });
    await one.until(() => /remote forward success/.test(said) || next.exitCode !== null);
    expect(said).to.match(/Server host certificate: .* to 2100-06-15T/);
    expect(first.exitCode, "the session of before goes on").to.equal(null);
    await one.gateway.stop();
    one.runWithAgents("--ssh-host-certificate", own.id); // the new one follows it
    await one.gateway.logged("edge applied");
    one.agent(key, `${APP}:443`, trusting("right", `* ${authority.public_key}`));
    await one.becomes(200, APP);
    const other = await one.api.sshCertificateAuthorities.create({});
    expect(await ended(one.agent(key, `${APP}:443`, trusting("wrong", `* ${other.public_key}`)))).to.equal(
      255,
    );
    await one.gateway.stop();
    one.runWithAgents("--ssh-host-certificate", foreign.id);
    expect(await one.gateway.ended()).to.equal(1);
    expect(one.gateway.log).to.contain("certifies another key than this gateway's: issue one for the key in");
  });
});
