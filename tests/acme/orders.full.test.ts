import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Json } from "../support/api/expect";
import { execute, onEveryDatabase, rowsIn, untilTestEnds } from "../support/databases";
import { Pebble } from "../support/pebble";
import { refusedBeside } from "../support/refusal";
import { MOVABLE_CLOCK } from "../support/server";
import { needsPebble, OrderedDomain, passHours, releaseLease, StandInRefusals } from "./support";

onEveryDatabase("A reserved domain with a policy", (start) => {
  const started = untilTestEnds(start);
  before(function () {
    needsPebble(this);
  });

  it("gets a certificate by itself, which is an object of its project; its key is in no answer", async () => {
    const pebble = await Pebble.start({ believes: true });
    const server = await started({ args: pebble.flags });
    const domain = await OrderedDomain.make(server, "app.example.com", { private_key_type: "rsa" });
    const certificate = await domain.certificate();
    expect(certificate).to.deep.include({ private_key_type: "rsa", private_key_pem: null });
    expect(certificate.subject_alternative_names).to.deep.equal({ dns_names: ["app.example.com"], ips: [] });
    expect(certificate.issued_at).to.be.a("string");
    const now = await domain.read();
    expect(now).to.deep.include({ acme_tls_alpn: null });
    expect(now.certificate_management_policy).to.deep.equal({
      authority: "letsencrypt",
      private_key_type: "rsa",
    });
    const { renews_at, provisioning_job } = now.certificate_management_status as Json;
    expect(provisioning_job).to.equal(null);
    expect(Date.parse(String(renews_at))).to.be.within(Date.now(), Date.parse(String(certificate.not_after)));
    const refused = await domain.rest.delete(String(certificate.uri));
    expect([refused.status, refused.body.error_code]).to.deep.equal([409, "TP_1500"]);
    expect(await domain.rest.get(`${domain.uri}`)).to.have.nested.property(
      "body.certificate.id",
      certificate.id,
    );
    const { events } = (await domain.rest.get(`/events?object_id=${certificate.id}`)).body;
    expect(events.map((one: Json) => (one.principal as Json).source)).to.deep.equal(["SERVER"]);
  });

  it("gets one from an authority that wants accounts to be bound to its customers", async () => {
    const bindingKeys = { customer: randomBytes(32).toString("base64url") };
    const pebble = await Pebble.start({ believes: true, bindingKeys });
    const file = join(pebble.folder, "binding.key");
    writeFileSync(file, `${bindingKeys.customer}\n`);
    const bound = ["--acme-eab-kid", "customer", "--acme-eab-key-file", file];
    const flags = [...pebble.flags, "--acme-contact", "mailto:ops@example.com"];
    const outcome = async (args: string[]) => {
      const server = await started({ args });
      const domain = await OrderedDomain.make(server, "app.example.com");
      for (;;) {
        const { certificate, certificate_management_status: status } = (await domain.read()) as Json;
        if (certificate) return 200;
        const { error_code: code } = ((status as Json)?.provisioning_job ?? {}) as Json;
        if (code) return String(code);
        await sleep(50);
      }
    };
    await refusedBeside({
      refused: () => outcome(flags),
      as: "externalAccountRequired",
      allowed: () => outcome([...flags, ...bound]),
    });
  });

  it("is ordered once, also where the server is killed at each step", async () => {
    const refusals = await StandInRefusals.start(await Pebble.start({ believes: true }));
    // Each of these steps would be over soon, so it is held until it was seen.
    const [afterOrder, afterProof] = ["/authZ/", "/finalize-order/"];
    refusals.held = [afterOrder, afterProof];
    let server = await start({ args: refusals.flags });
    const { data } = server;
    const domain = await OrderedDomain.make(server, "app.example.com");
    const phase = async () => {
      const [row] = (await rowsIn(data, "select phase, challenge, tries from acme_order")) as Record<
        string,
        unknown
      >[];
      // A request that a kill cut counts as a failed try, after which the order pauses.
      if (Number(row?.tries) > 0) await execute(data, "update acme_order set tries = 0, next_at = 0");
      return `${row?.phase} ${row?.challenge ? JSON.parse(String(row.challenge)).isTold : "none"}`;
    };
    const killed: string[] = [];
    let last = "new none";
    while (last !== "issued none") {
      let now = await phase();
      while (now === last) {
        await sleep(10);
        now = await phase();
      }
      last = now;
      killed.push(now);
      await server.stop("SIGKILL");
      if (now === "ordered none") refusals.held = [afterProof];
      if (now === "ordered true") refusals.held = [];
      server = await start({ args: refusals.flags, data });
      // Another one may hold the lease of the one that was killed.
      await server.rest.get("/caller");
      await releaseLease(data);
    }
    expect(killed).to.include.members(["ordered none", "issued none"]);
    expect(killed.some((one) => one.startsWith("ordered true"))).to.equal(true);
    const certificate = await domain.at(server).certificate();
    expect(certificate.issued_at).to.be.a("string");
    expect(refusals.orders).to.equal(1);
  });

  it("is ordered once, also where the server is killed before it hears of its order", async () => {
    const refusals = await StandInRefusals.start(await Pebble.start({ believes: true }));
    const isLost = new Promise<void>((resolve) => {
      refusals.whenAnswerIsLost = resolve;
    });
    const first = await start({ args: refusals.flags });
    const domain = await OrderedDomain.make(first, "app.example.com");
    await isLost;
    refusals.whenAnswerIsLost = undefined;
    await first.stop("SIGKILL");
    await releaseLease(first.data);
    const second = await started({ args: refusals.flags, data: first.data });
    await domain.at(second).certificate();
    expect(refusals.orders).to.equal(1);
  });

  it("goes on with its order, where the authority is out of order in the middle (a stand-in refuses)", async () => {
    const refusals = await StandInRefusals.start(await Pebble.start({ believes: true }));
    for (const [refuses, status] of [
      ["/my-order/", 503],
      ["/finalize-order/", 429],
    ] as const) {
      refusals.refuses = refuses;
      refusals.refusal = {
        status,
        problem: { type: `urn:ietf:params:acme:error:${status}`, detail: "later" },
      };
      const before = refusals.orders;
      const server = await started({ args: refusals.flags, env: MOVABLE_CLOCK });
      const domain = await OrderedDomain.make(server, "app.example.com");
      const job = await domain.reason();
      expect(String(job.msg)).to.contain("later");
      // So long as the first pause, and more than once: each failure is followed by another try.
      const seen = refusals.refused;
      await passHours(server, 1);
      while (refusals.refused === seen) await sleep(20);
      refusals.refusal = undefined;
      await passHours(server, 1);
      await domain.certificate();
      expect(refusals.orders - before, refuses).to.equal(1);
    }
  });

  it("is ordered once, where several servers share the database", async function () {
    const refusals = await StandInRefusals.start(await Pebble.start({ believes: true }));
    const first = await started({ args: refusals.flags });
    if (!first.data.startsWith("postgres")) {
      console.log("    Skipped: several servers do not share a file");
      return this.skip();
    }
    const second = await started({ args: refusals.flags, data: first.data });
    const domains = await Promise.all(
      ["a", "b", "c"].map((name, index) =>
        OrderedDomain.make(index % 2 ? second : first, `${name}.example.com`),
      ),
    );
    for (const domain of domains) await domain.certificate();
    expect(refusals.orders).to.equal(3);
    expect(await rowsIn(first.data, "select id from acme_lease")).to.have.length(1);
  });
});
