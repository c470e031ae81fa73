import { setTimeout as sleep } from "node:timers/promises";
import type { Json } from "../support/api/expect";
import { onOneDatabase, rowsIn, untilTestEnds } from "../support/databases";
import { Pebble } from "../support/pebble";
import { MOVABLE_CLOCK } from "../support/server";
import { needsPebble, OrderedDomain, passHours, StandInRefusals } from "./support";

const HOUR_S = 3600;

onOneDatabase("A certificate that the server ordered", (start) => {
  const started = untilTestEnds(start);
  before(function () {
    needsPebble(this);
  });

  it("is renewed after two thirds of a certificate's life; the old one goes an hour later", async () => {
    const pebble = await Pebble.start({ believes: true, validity: 3 * HOUR_S });
    const server = await started({ args: pebble.flags, env: MOVABLE_CLOCK });
    const domain = await OrderedDomain.make(server, "app.example.com");
    const first = await domain.certificate();
    await passHours(server, 3);
    const second = await domain.certificate(String(first.id));
    expect(second.serial_number).to.not.equal(first.serial_number);
    await passHours(server, 2);
    while ((await domain.rest.get(String(first.uri))).status !== 404) await sleep(50);
  });

  it("is ordered by a new account where the authority no longer knows the old one (a stand-in refuses)", async () => {
    const refusals = await StandInRefusals.start(await Pebble.start({ believes: true }));
    const server = await started({ args: refusals.flags, env: MOVABLE_CLOCK });
    await (await OrderedDomain.make(server, "first.example.com")).certificate();
    const account = () => rowsIn(server.data, "select value from setting where name = 'acme_account'");
    const before = await account();
    refusals.refusal = {
      status: 400,
      problem: { type: "urn:ietf:params:acme:error:accountDoesNotExist", detail: "no such account" },
    };
    const domain = await OrderedDomain.make(server, "app.example.com");
    expect(await domain.reason()).to.deep.include({ error_code: "accountDoesNotExist" });
    refusals.refusal = undefined;
    await passHours(server, 1);
    await domain.certificate();
    expect(await account()).to.not.deep.equal(before);
  });

  it("waits for its turn and says so, where 1,000 domains want one; no more are ordered than authorities take", async () => {
    const refusals = await StandInRefusals.start(await Pebble.start({ believes: true }));
    const server = await started({ args: refusals.flags, env: MOVABLE_CLOCK });
    const domains: OrderedDomain[] = [];
    for (let index = 0; index < 1_000; index++)
      domains.push(await OrderedDomain.make(server, `d${index}.example.com`));
    const all = async (): Promise<Json[]> => {
      const found: Json[] = [];
      const rest = server.rest;
      for (let uri: string | null = "/reserved_domains?limit=100"; uri; ) {
        const { body } = await rest.get(uri.replace(server.url, ""));
        found.push(...body.reserved_domains);
        uri = body.next_page_uri;
      }
      return found;
    };
    const served = async () => (await all()).filter((one) => one.certificate !== null).length;
    const waiting = async () =>
      (await all()).filter(({ certificate_management_status: status }) =>
        String((status as { provisioning_job: Json | null } | null)?.provisioning_job?.msg).includes(
          "waits for its turn",
        ),
      ).length;
    while ((await served()) + (await waiting()) < 1_000) await sleep(100);
    const atFirst = refusals.orders;
    // Twenty at once, and one more in 40 s.
    expect(atFirst).to.be.within(20, 22);
    for (let hour = 1; hour <= 3; hour++) {
      await passHours(server, 1);
      while ((await served()) < 20 * (hour + 1)) await sleep(100);
    }
    expect(refusals.orders).to.be.within(80, 90);
  });

  it("goes with its domain", async () => {
    const pebble = await Pebble.start({ believes: true });
    const server = await started({ args: pebble.flags });
    const domain = await OrderedDomain.make(server, "app.example.com");
    const certificate = await domain.certificate();
    expect((await domain.rest.delete(domain.uri)).status).to.equal(204);
    while ((await domain.rest.get(String(certificate.uri))).status !== 404) await sleep(50);
  });

  it("says why there is none while the authority is away, tries again, and gets it once that is back", async () => {
    const pebble = await Pebble.start({ believes: true });
    const refusals = await StandInRefusals.start(pebble);
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
    ).to.deep.include({ started_at: job.started_at });
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
      const refusals = await StandInRefusals.start(await Pebble.start({ believes: true }));
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
    const pebble = await Pebble.start({ believes: true });
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
