import { createPrivateKey, X509Certificate } from "node:crypto";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import type { Json } from "../support/api/expect";
import { execute, onEveryDatabase, onOneDatabase, rowsIn, untilTestEnds } from "../support/databases";
import { PEBBLE, Pebble } from "../support/pebble";
import { Rest } from "../support/rest";
import { MOVABLE_CLOCK } from "../support/server";
import { OrderedDomain, passHours, StandInRefusals } from "./support";

const HOUR_S = 3600;

/** What runs beside the servers of one test. */
class Beside {
  readonly #stops: (() => unknown)[] = [];
  async pebble(options: Parameters<typeof Pebble.start>[0] = {}): Promise<Pebble> {
    const one = await Pebble.start(options);
    this.#stops.push(() => one.stop());
    return one;
  }
  async refusals(pebble: Pebble): Promise<StandInRefusals> {
    const one = await StandInRefusals.start(pebble);
    this.#stops.push(() => one.stop());
    return one;
  }
  async stop(): Promise<void> {
    for (const stop of this.#stops.splice(0).reverse()) await stop();
  }
}

const needsPebble = (test: Mocha.Context): void => {
  if (PEBBLE) return;
  console.log("    Skipped: Pebble could not be built, because Go or its module proxy is missing");
  test.skip();
};

onEveryDatabase("A reserved domain with a policy", (start) => {
  const started = untilTestEnds(start);
  const beside = new Beside();
  before(function () {
    needsPebble(this);
  });
  afterEach("stop what runs beside", () => beside.stop());

  it("gets a certificate by itself, which is an object of its project; its key is in no answer", async () => {
    const pebble = await beside.pebble({ believes: true });
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

  it("is ordered once, also where the server is killed at each step", async () => {
    const refusals = await beside.refusals(await beside.pebble({ believes: true }));
    let server = await start({ args: refusals.flags });
    const { data } = server;
    const domain = await OrderedDomain.make(server, "app.example.com");
    const phase = async () => {
      const [row] = (await rowsIn(data, "select phase, challenge from acme_order")) as Record<
        string,
        unknown
      >[];
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
      server = await start({ args: refusals.flags, data });
      // Another one may hold the lease of the one that was killed.
      await new Rest(server.url, server.apiKey).get("/caller");
      await releaseLease(data);
    }
    try {
      expect(killed).to.include.members(["ordered none", "issued none"]);
      expect(killed.some((one) => one.startsWith("ordered true"))).to.equal(true);
      const certificate = await domain.at(server).certificate();
      expect(certificate.issued_at).to.be.a("string");
      expect(refusals.orders).to.equal(1);
    } finally {
      await server.stop();
    }
  });

  it("is ordered once, where several servers share the database", async function () {
    const refusals = await beside.refusals(await beside.pebble({ believes: true }));
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

/** As if a minute had passed since the server that was killed took it. */
const releaseLease = async (data: string): Promise<void> => {
  await execute(data, "delete from acme_lease");
};

onOneDatabase("A certificate that the server ordered", (start) => {
  const started = untilTestEnds(start);
  const beside = new Beside();
  before(function () {
    needsPebble(this);
  });
  afterEach("stop what runs beside", () => beside.stop());

  it("is renewed after two thirds of a certificate's life; the old one goes an hour later", async () => {
    const pebble = await beside.pebble({ believes: true, validity: 3 * HOUR_S });
    const server = await started({ args: pebble.flags, env: MOVABLE_CLOCK });
    const domain = await OrderedDomain.make(server, "app.example.com");
    const first = await domain.certificate();
    await passHours(server, 3);
    const second = await domain.certificate(String(first.id));
    expect(second.serial_number).to.not.equal(first.serial_number);
    await passHours(server, 2);
    while ((await domain.rest.get(String(first.uri))).status !== 404) await sleep(50);
  });

  it("goes with its domain", async () => {
    const pebble = await beside.pebble({ believes: true });
    const server = await started({ args: pebble.flags });
    const domain = await OrderedDomain.make(server, "app.example.com");
    const certificate = await domain.certificate();
    expect((await domain.rest.delete(domain.uri)).status).to.equal(204);
    while ((await domain.rest.get(String(certificate.uri))).status !== 404) await sleep(50);
  });

  it("says why there is none while the authority is away, tries again, and gets it once that is back", async () => {
    const pebble = await beside.pebble({ believes: true });
    const refusals = await beside.refusals(pebble);
    refusals.isAway = true;
    const server = await started({ args: refusals.flags, env: MOVABLE_CLOCK });
    const domain = await OrderedDomain.make(server, "app.example.com");
    const job = await domain.reason();
    expect(job).to.deep.include({ error_code: "unreachable" });
    expect(String(job.msg)).to.contain("the authority cannot be asked: localhost");
    expect(Date.parse(String(job.retries_at))).to.be.above(Date.parse(String(job.started_at)));
    await passHours(server, 1);
    const later = await domain.until(
      (now) =>
        (now.certificate_management_status as { provisioning_job: Json }).provisioning_job.retries_at !==
        job.retries_at,
    );
    expect(
      (later.certificate_management_status as { provisioning_job: Json }).provisioning_job,
    ).to.deep.include({
      started_at: job.started_at,
    });
    refusals.isAway = false;
    await passHours(server, 1);
    await domain.certificate();
  });

  for (const [what, refusal, code] of [
    [
      "a CAA record forbids it",
      { status: 403, problem: { type: "urn:ietf:params:acme:error:caa", detail: "CAA forbids issuance" } },
      "caa",
    ],
    [
      "too many were ordered",
      {
        status: 429,
        retryAfter: 5 * HOUR_S,
        problem: { type: "urn:ietf:params:acme:error:rateLimited", detail: "too many certificates" },
      },
      "rateLimited",
    ],
  ] as const)
    it(`says the authority's own reason where ${what}, and waits as long as that asks (a stand-in refuses)`, async () => {
      const refusals = await beside.refusals(await beside.pebble({ believes: true }));
      refusals.refusal = refusal;
      const server = await started({ args: refusals.flags, env: MOVABLE_CLOCK });
      const domain = await OrderedDomain.make(server, "app.example.com");
      const job = await domain.reason();
      expect(job.error_code).to.equal(code);
      expect(String(job.msg)).to.contain(refusal.problem.detail);
      if ("retryAfter" in refusal)
        expect(Date.parse(String(job.retries_at)) - Date.parse(String(job.started_at))).to.be.at.least(
          refusal.retryAfter * 1000,
        );
      refusals.refusal = undefined;
      await passHours(server, 6);
      await domain.certificate();
    });

  it("keeps its certificate where its policy goes, for an hour; an uploaded one takes the place of a policy", async () => {
    const pebble = await beside.pebble({ believes: true });
    const server = await started({ args: pebble.flags, env: MOVABLE_CLOCK });
    const domain = await OrderedDomain.make(server, "app.example.com");
    const certificate = await domain.certificate();
    const gone = await domain.rest.delete(`${domain.uri}/certificate_management_policy`);
    expect(gone.status).to.equal(204);
    const now = await domain.until((one) => one.certificate_management_status === null);
    expect(now).to.deep.include({ certificate: null, certificate_management_policy: null });
    expect((await domain.rest.get(String(certificate.uri))).status).to.equal(200);
    await passHours(server, 2);
    while ((await domain.rest.get(String(certificate.uri))).status !== 404) await sleep(50);
  });
});

onOneDatabase("A certificate that is proved in DNS", (start) => {
  const started = untilTestEnds(start);
  const beside = new Beside();
  before(function () {
    needsPebble(this);
  });
  afterEach("stop what runs beside", () => beside.stop());

  /** A program for `dns-01` that has Pebble's own name server answer. */
  const command = (pebble: Pebble): string => {
    const file = join(pebble.folder, "record");
    const log = join(pebble.folder, "records.log");
    writeFileSync(
      file,
      `#!/bin/sh
echo "$1 $2" >> ${log}
[ "$1" = present ] && url=set-txt || url=clear-txt
exec curl --silent --fail --data "{\\"host\\": \\"$2.\\", \\"value\\": \\"$3\\"}" http://127.0.0.1:${pebble.namesPort}/$url
`,
    );
    chmodSync(file, 0o755);
    return file;
  };

  it("is for a wildcard, by a program that makes the record and takes it away", async () => {
    const pebble = await beside.pebble();
    const server = await started({ args: [...pebble.flags, "--acme-dns-command", command(pebble)] });
    const domain = await OrderedDomain.make(server, "*.example.com");
    const certificate = await domain.certificate();
    expect(certificate.subject_alternative_names).to.deep.include({ dns_names: ["*.example.com"] });
    expect(readFileSync(join(pebble.folder, "records.log"), "utf8")).to.equal(
      "present _acme-challenge.example.com\ncleanup _acme-challenge.example.com\n",
    );
  });

  it("is not there for a wildcard without such a program, and the reason says what to do", async () => {
    const pebble = await beside.pebble();
    const server = await started({ args: pebble.flags });
    const job = await (await OrderedDomain.make(server, "*.example.com")).reason();
    expect(job.error_code).to.equal("not_possible");
    expect(String(job.msg)).to.contain("--acme-dns-command");
  });

  it("is not there where the program fails, with what that said", async () => {
    const pebble = await beside.pebble();
    const file = join(pebble.folder, "fails");
    writeFileSync(file, "#!/bin/sh\necho 'no such zone' >&2\nexit 3\n");
    chmodSync(file, 0o755);
    const server = await started({ args: [...pebble.flags, "--acme-dns-command", file] });
    const job = await (await OrderedDomain.make(server, "*.example.com")).reason();
    expect(job).to.deep.include({ error_code: "dns_command" });
    expect(String(job.msg)).to.contain("no such zone");
  });

  it("is valid for its key", async () => {
    const pebble = await beside.pebble({ believes: true });
    const server = await started({ args: pebble.flags });
    const domain = await OrderedDomain.make(server, "app.example.com");
    const { id, certificate_pem: pem } = await domain.certificate();
    const bot = (await domain.rest.post("/bot_users", { name: "edge", role: "gateway" })).body;
    const key = (await domain.rest.post("/api_keys", { owner_id: bot.id })).body;
    const seen = (await new Rest(server.url, key.token).get(`/tls_certificates/${id}`)).body;
    expect(new X509Certificate(String(pem)).checkPrivateKey(createPrivateKey(seen.private_key_pem))).to.equal(
      true,
    );
  });
});
