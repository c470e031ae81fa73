import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { sshKey } from "../support/api/fixtures";
import { ended, runningForEachTest, TRUSTING } from "./running";
import { Upstream } from "./traffic";

const APP = "app.example.com";

describe("Agents that come in by ssh -R", () => {
  const running = runningForEachTest();

  it("serve a hostport with a key or a token, and lose it when the credential is deleted or narrowed", async () => {
    const one = running.now;
    one.runWithAgents();
    await one.api.tlsEdges.create({ hostports: [`${APP}:443`] });
    const [key, wide] = [
      await one.credential(["bind:*.example.com"]),
      await one.api.tunnelCredentials.create({ acl: ["bind:*.example.com"] }),
    ];
    await one.gateway.logged("edge applied");
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

  it("are refused what an ACL does not allow and what nobody declared, and strangers are refused", async () => {
    const one = running.now;
    one.runWithAgents();
    await one.api.tlsEdges.create({ hostports: [`${APP}:443`] });
    const { key, id } = await one.credential(["bind:other.example.com", "bind:service=web"]);
    await one.gateway.logged("edge applied");
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
    one.runWithAgents();
    await one.api.tlsEdges.create({ hostports: [`${APP}:443`] });
    const { key } = await one.credential();
    await one.gateway.logged("edge applied");
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

  it("are not listened to from an address that failed to log in twenty times within a minute", async () => {
    const one = running.now;
    one.runWithAgents();
    await one.api.tlsEdges.create({ hostports: [`${APP}:443`] });
    const { key } = await one.credential();
    await one.gateway.logged("edge applied");
    expect(await ended(one.agent(key, "nothing.example.com:443"))).to.equal(255);
    expect(one.gateway.log).to.contain("no edge without a backend declares this hostport"); // it was let in
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        ended(one.agent({ token: `tpt_wrong-${index}` }, `${APP}:443`)),
      ),
    );
    const before = one.gateway.log;
    expect(await ended(one.agent(key, `${APP}:443`))).to.equal(255);
    expect(one.gateway.log.slice(before.length)).not.to.contain("agent");
  });

  it("serve tunnel groups by labels, share their load, and are told to the server; one that is gone drops out", async () => {
    const one = running.now;
    one.runWithAgents();
    const group = await one.api.tunnelGroupBackends.create({ labels: { service: "web" } });
    await one.api.tlsEdges.create({ hostports: [`${APP}:443`], backend: { backend_id: group.id } });
    const { key, id } = await one.credential(["bind:service=web", "bind:env=*"]);
    const other = await Upstream.start("two");
    try {
      await one.gateway.logged("edge applied");
      const first = one.agent(key, "service=web,env=prod:443");
      one.agent(key, "service=web:443", { local: other.address });
      for (
        const names = new Set<string | undefined>();
        !(names.has("one") && names.has("two"));
        await sleep(20)
      ) {
        const [a, b] = await Promise.all([one.answers(APP), one.answers(APP)]);
        names.add(a).add(b);
      }
      const status = async () => (await one.api.gateways.get("edge-1")).agents;
      while ((await status()).length < 2) await sleep(100);
      const binds = (await status()).map(({ credential, bind }) => [credential, ...bind].sort());
      expect(binds).to.have.deep.members([
        [id, "bind:service=web"].sort(),
        [id, "bind:service=web", "bind:env=prod"].sort(),
      ]);
      first.kill("SIGKILL");
      await ended(first);
      while ((await one.answers(APP)) !== "two") await sleep(20);
      for (let index = 0; index < 10; index++) expect(await one.answers(APP)).to.equal("two");
      while ((await status()).length > 1) await sleep(100);
    } finally {
      await other.stop();
    }
  });

  it("know the gateway by a certificate of the API, without trust on first use", async () => {
    const one = running.now;
    one.runWithAgents();
    await one.api.tlsEdges.create({ hostports: [`${APP}:443`] });
    const { key } = await one.credential();
    await one.gateway.logged("edge applied");
    await one.gateway.stop();
    const authority = await one.api.sshCertificateAuthorities.create({});
    const certify = (public_key: string, valid_until?: string) =>
      one.api.sshHostCertificates.create({
        ssh_certificate_authority_id: authority.id,
        public_key,
        principals: ["127.0.0.1"],
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
    const before = readFileSync(join(one.state, "ssh_host_key-cert.json"), "utf8");
    await certify(own.public_key, "2100-06-15T12:00:00Z");
    await one.api.sshHostCertificates.delete(own.id);
    while (readFileSync(join(one.state, "ssh_host_key-cert.json"), "utf8") === before) await sleep(20);
    const { options } = trusting("right", `* ${authority.public_key}`);
    const next = one.agent(key, `${APP}:443`, { options: [...options, "LogLevel=DEBUG1"] });
    let said = "";
    next.stderr?.on("data", (chunk) => {
      said += chunk;
    });
    while (!/remote forward success/.test(said) && next.exitCode === null) await sleep(20);
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

  it("come back while the server is down, where it allowed them a short time ago; others are refused", async () => {
    const one = running.now;
    one.runWithAgents();
    await one.api.tlsEdges.create({ hostports: [`${APP}:443`] });
    const [known, narrow, gone] = [
      await one.credential(),
      await one.credential(["bind:other.example.com"]),
      await one.credential(),
    ];
    await one.gateway.logged("edge applied");
    const first = one.agent(known.key, `${APP}:443`);
    await one.becomes(200, APP);
    await ended(one.agent(narrow.key, `${APP}:443`));
    const leaving = one.agent(gone.key, `${APP}:443`);
    await one.gateway.logged(`"credential":"${gone.id}","msg":"agent bound"`);
    await one.api.sshCredentials.delete(gone.id);
    await ended(leaving); // the gateway followed
    await one.server.stop("SIGKILL");
    await one.gateway.logged("could not be read");
    expect(await one.answers(APP)).to.equal("one");
    first.kill("SIGKILL");
    await ended(first);
    await one.gateway.stop("SIGTERM");
    one.runWithAgents();
    await one.gateway.logged("serving what was declared when the server was last read");
    for (const { key } of [narrow, gone, await Promise.resolve({ key: sshKey() })])
      expect(await ended(one.agent(key, `${APP}:443`))).to.equal(255);
    one.agent(known.key, `${APP}:443`);
    await one.becomes(200, APP);
  });
});
