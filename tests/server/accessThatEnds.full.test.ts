import { setTimeout as sleep } from "node:timers/promises";
import { DEFAULT_PROJECT } from "@tunnelplane/sdk/contract";
import { declared, SetInTest } from "../changesets/support";
import { expectRefused, hostport, invalid, type Json, unique } from "../support/api/expect";
import { sshKey } from "../support/api/fixtures";
import { expectRefusedBut } from "../support/api/refusedBut";
import { onEveryDatabase, settled } from "../support/databases";
import type { Rest, RestAnswer } from "../support/rest";
import { MOVABLE_CLOCK, run, type ServerProcess } from "../support/server";

const HALF_AN_HOUR_MS = 1_800_000;
const CALLER = "192.0.2.7";
type Thing = { readonly id: string; readonly uri: string; readonly body: Json };

/** A kind of object that may end: one that exists, and whether the server counts with it. */
interface Ending {
  readonly name: string;
  readonly path: string;
  readonly event: string;
  make(rest: Rest, more: () => Json): Promise<{ answer: RestAnswer; allows(rest: Rest): Promise<boolean> }>;
}

const mayBind = async (rest: Rest, proof: Json): Promise<boolean> => {
  const { body, text } = await rest.post("/bind_authorizations", {
    ...proof,
    bind: ["bind:app.example.com:443"],
  });
  // Gateways remember the credentials that were named, and let their agents in while the server is away.
  if (!body.allowed) expect(body.credential, text).to.equal(null);
  return body.allowed;
};

const KINDS: readonly Ending[] = [
  {
    name: "a tunnel credential",
    path: "/credentials",
    event: "tunnel_credential_expired",
    async make(rest, more) {
      const answer = await rest.post("/credentials", more());
      const { token } = answer.body;
      return { answer, allows: (at) => mayBind(at, { token }) };
    },
  },
  {
    name: "an SSH credential",
    path: "/ssh_credentials",
    event: "ssh_public_key_expired",
    async make(rest, more) {
      const public_key = sshKey().openssh;
      const answer = await rest.post("/ssh_credentials", { public_key, ...more() });
      return { answer, allows: (at) => mayBind(at, { public_key }) };
    },
  },
  {
    name: "a membership",
    path: "/memberships",
    event: "membership_expired",
    async make(rest, more) {
      const home = rest.inside((await rest.post("/projects", { name: unique("team") })).body.name);
      const bot = (await home.post("/bot_users", { name: unique("bot") })).body.id;
      const { token } = (await home.post("/api_keys", { owner_id: bot })).body;
      const grant = { project_id: DEFAULT_PROJECT.id, role: "viewer", bot_user_id: bot };
      const answer = await rest.post("/memberships", { ...grant, ...more() });
      const { name } = DEFAULT_PROJECT;
      return {
        answer,
        allows: async (at) => (await at.as(token).inside(name).get("/ip_policies")).status === 200,
      };
    },
  },
  {
    name: "an IP policy rule",
    path: "/ip_policy_rules",
    event: "ip_policy_rule_expired",
    async make(rest, more) {
      const policy = (await rest.post("/ip_policies", { description: unique("policy") })).body.id;
      const address = hostport();
      await rest.post("/edges/tls", { hostports: [address], ip_restriction: { ip_policy_ids: [policy] } });
      const rule = { ip_policy_id: policy, cidr: "192.0.2.0/24", action: "allow" };
      const answer = await rest.post("/ip_policy_rules", { ...rule, ...more() });
      return {
        answer,
        async allows(at) {
          const row = (await at.get(`/exposure?address=${address}`)).body.exposure[0];
          const asked = { requests: [{ address, from: CALLER }] };
          const [decision] = (await at.post("/exposure/decisions", asked)).body.decisions;
          const admits = row.networks !== "nobody";
          // Nothing is behind the edge, so those who are let in find nothing.
          expect(decision.outcome !== "closed", JSON.stringify(decision)).to.equal(admits);
          return admits;
        },
      };
    },
  },
];

onEveryDatabase("Access that ends, at two servers on one database", (start) => {
  let servers: ServerProcess[];
  let one: Rest;
  let rests: Rest[];
  before("start two servers", async () => {
    const first = await start({ env: MOVABLE_CLOCK });
    servers = [first, await start({ data: first.data, env: MOVABLE_CLOCK })];
    rests = servers.map(({ rest }) => rest);
    one = rests[0] as Rest;
  });

  afterEach("turn the clocks back", async () => {
    for (const server of servers) server.returnToNow();
    await until(isBack);
  });

  const clockOf = async (rest: Rest): Promise<number> =>
    Date.parse((await rest.post("/ip_policies", {})).body.created_at);
  const isBack = async (rest: Rest) => (await clockOf(rest)) < Date.now() + HALF_AN_HOUR_MS;
  const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();
  const until = async (holds: (rest: Rest) => Promise<boolean>) => {
    for (const rest of rests) while (!(await holds(rest))) await sleep(100);
  };
  const eventsOf = async (id: string, type: string): Promise<Json[]> => {
    const { body } = await one.get(`/events?object_id=${id}&type=${type}.v0`);
    return body.events;
  };
  const isExpired = (thing: Pick<Thing, "uri">) => async (rest: Rest) =>
    (await rest.get(new URL(thing.uri).pathname)).body.expired === true;

  for (const { name, path, event, make } of KINDS) {
    it(`${name} may end, at another time, or never; a time that has passed is refused`, async () => {
      const never = (await make(one, () => ({}))).answer;
      expect(never.body).to.deep.include({ expires_at: null, expired: false });
      const { uri } = never.body;
      await expectRefusedBut(
        [
          async () => (await make(one, () => ({ expires_at: inMs(-1000) }))).answer,
          () => one.patch(uri, { expires_at: inMs(-1000) }),
        ],
        invalid("expires_at", "future"),
        () => one.patch(uri, { expires_at: inMs(HALF_AN_HOUR_MS) }),
      );
      expectRefused(await one.patch(uri, { expires_at: "tomorrow" }), invalid("expires_at", "RFC 3339"));
      const [end, later] = [inMs(HALF_AN_HOUR_MS), inMs(2 * HALF_AN_HOUR_MS)];
      for (const expires_at of [end, later, null, end]) {
        expect((await one.patch(uri, { expires_at })).body).to.deep.include({ expires_at, expired: false });
        expect((await one.get(uri)).body).to.deep.include({ expires_at, expired: false });
      }
      expect((await one.patch(uri, { description: "as before" })).body.expires_at).to.equal(end);
    });

    it(`${name} allows nothing from its end on, stays, and has one event and audit row for it`, async () => {
      const made = await make(one, () => ({ expires_at: inMs(HALF_AN_HOUR_MS), description: "for a while" }));
      const lasting = await make(one, () => ({}));
      const { id, uri } = made.answer.body;
      expect(await made.allows(one)).to.equal(true);
      const etag = (await one.get(uri)).headers.get("etag") ?? "";
      for (const server of servers) server.passAnHour();
      await until(isExpired(made.answer.body));
      for (const rest of rests) {
        expect([await made.allows(rest), await lasting.allows(rest)]).to.deep.equal([false, true]);
        const listed = (await rest.get(path)).body[path.slice(1)].find((found: Thing) => found.id === id);
        expect(listed).to.include({ expired: true, description: "for a while" });
      }
      // A cached answer says that it has not ended.
      expect((await one.get(uri, { "if-none-match": etag })).status).to.equal(200);
      await until(async () => (await eventsOf(id, event)).length > 0);
      // An object that ends later gets its event in a later round.
      const next = (await one.post("/credentials", { expires_at: inMs(2 * HALF_AN_HOUR_MS + 1500) })).body;
      await until(async () => (await eventsOf(next.id, "tunnel_credential_expired")).length > 0);
      const [sent, ...again] = await eventsOf(id, event);
      expect(again).to.deep.equal([]);
      expect(sent).to.deep.include({ event_type: `${event}.v0` });
      expect(sent?.object).to.include({ id, expired: true, description: "for a while" });
      expect(sent?.principal).to.include({ source: "SERVER" });
      const { audit_events: rows } = (await one.get("/audit_events?limit=100")).body;
      const about = rows.filter(({ object_id }: Json) => object_id === id);
      expect(about.map(({ action }: Json) => action)).to.deep.equal([
        event,
        event.replace("expired", "created"),
      ]);
      for (const server of servers) server.returnToNow();
      await until(async (rest) => !(await isExpired({ uri })(rest)));
      expect(await made.allows(one), "a clock that went ahead and back").to.equal(true);
      expect(await eventsOf(id, event)).to.have.length(1);
    });

    it(`${name} that has ended may be changed, and be given another end, which has its own event`, async () => {
      const made = await make(one, () => ({ expires_at: inMs(2000) }));
      const { id, uri } = made.answer.body;
      await until(isExpired({ uri }));
      await until(async () => (await eventsOf(id, event)).length === 1);
      expect((await one.patch(uri, { description: "ended" })).body).to.include({ expired: true });
      expect(await made.allows(one)).to.equal(false);
      const again = await one.patch(uri, { expires_at: inMs(2000) });
      expect(again.body, again.text).to.include({ expired: false });
      expect(await made.allows(one)).to.equal(true);
      await until(isExpired({ uri }));
      await until(async () => (await eventsOf(id, event)).length === 2);
    });
  }

  it("a rule that denies takes no end, because an end closes and never opens", async () => {
    const { id } = (await one.post("/ip_policies", {})).body;
    const rule = { ip_policy_id: id, cidr: "192.0.2.0/24", action: "deny" };
    const end = { expires_at: inMs(HALF_AN_HOUR_MS) };
    const { uri } = (await one.post("/ip_policy_rules", { ...rule, expires_at: null })).body;
    await expectRefusedBut(
      [() => one.post("/ip_policy_rules", { ...rule, cidr: "::/0", ...end }), () => one.patch(uri, end)],
      invalid("expires_at", "deny"),
      () => one.post("/ip_policy_rules", { ...rule, cidr: "::/0", action: "allow", ...end }),
    );
  });

  it("what ended while every server was killed has one event each, and the audit log stays sound", async () => {
    const [first, second] = servers as [ServerProcess, ServerProcess];
    const end = inMs(6000);
    const set = Array.from({ length: 120 }, (_, index) =>
      declared("tunnel_credential", `agent-${index}`, { expires_at: end }),
    );
    const made = new SetInTest(one, unique("set"));
    await made.apply(set);
    await Promise.all([first.stop("SIGKILL"), second.stop("SIGKILL")]);
    while (Date.now() <= Date.parse(end)) await sleep(20);
    servers = [
      await start({ data: first.data, env: MOVABLE_CLOCK }),
      await start({ data: first.data, env: MOVABLE_CLOCK }),
    ];
    rests = servers.map(({ rest }) => rest);
    one = rests[0] as Rest;
    const again = new SetInTest(one, made.name);
    for (const id of Object.values(await again.ids()))
      await until(async () => (await eventsOf(id, "tunnel_credential_expired")).length === 1);
    expect(await again.apply(set), "what has ended is as it was declared").to.deep.equal([]);
    await settled(first.data);
    const verified = await run(first.data, "audit", "verify");
    expect(verified.code, verified.out + verified.err).to.equal(0);
  });
});
