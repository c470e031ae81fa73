import type { World, WorldObject } from "@tunnelplane/sdk/meaning";
import { compare, findingsOf, isAcceptedBy, RULES, UNKNOWN } from "@tunnelplane/sdk/meaning";
import {
  agent,
  authority,
  declared,
  edge,
  expectNothing,
  mutual,
  onlyFinding,
  policy,
  ref,
  rulesOf,
  world,
} from "./worlds";

const now = new Date("2026-06-01T00:00:00Z");
const credential = (...acl: string[]) => world(declared("tunnel_credential", "ci", { acl }));
const certificate = (fields = {}) =>
  declared("ssh_user_certificate", "ada", {
    principals: ["ada"],
    valid_until: "2036-01-01T00:00:00Z",
    public_key: "key",
    ...fields,
  });

describe("Findings about credentials, certificates, keys and events", () => {
  it("distinguish more rights of a credential from fewer", () => {
    const widened: [string[], string[]][] = [
      [["bind:app.example.com"], []],
      [["bind:app.example.com"], ["*"]],
      [["bind:app.example.com"], ["bind:*.example.com"]],
      [["bind:app.example.com:443"], ["bind:app.example.com"]],
      [["bind:color=blue"], ["bind:color=*"]],
    ];
    for (const [was, is] of widened) {
      expect(onlyFinding(credential(...was), credential(...is))).to.include({
        rule: "credential-widened",
        severity: "high",
        name: "ci",
      });
      expect(onlyFinding(credential(...is), credential(...was))).to.include({
        rule: "credential-narrowed",
        severity: "medium",
      });
    }
    expect(rulesOf(credential("bind:a.example.com"), credential("bind:b.example.com"))).to.deep.equal([
      "credential-widened",
      "credential-narrowed",
    ]);
  });

  it("are absent for rules that allow the same", () => {
    expectNothing(
      credential("bind:a.example.com", "bind:b.example.com"),
      credential("bind:B.example.com", "bind:a.example.com"),
    );
    expectNothing(credential(), credential("*"));
    expectNothing(
      credential("bind:*.example.com"),
      credential("bind:*.example.com", "bind:a.b.example.com:443"),
    );
  });

  it("are uncertain for an ACL that is not known yet", () => {
    const later = world(declared("tunnel_credential", "ci", { acl: UNKNOWN }));
    expect(onlyFinding(credential("bind:a.example.com"), later)).to.include({
      rule: "credential-widened",
      certain: false,
    });
  });

  it("name a new credential that may bind everything, and no other new one", () => {
    const found = (...acl: string[]) => findingsOf(world(), credential(...acl)).map(({ rule }) => rule);
    for (const acl of [[], ["*"], ["bind:a.example.com", "*"]])
      expect(onlyFinding(world(), credential(...acl))).to.include({
        rule: "credential-widened",
        severity: "high",
        sentence: "The new tunnel credential `ci` may bind everything.",
      });
    expect(found("bind:a.example.com")).not.to.include("credential-widened");
  });

  it("name a new admin, and a new guarantee that does not hold, as they name what becomes so", () => {
    const bot = (role: string) => declared("bot_user", "ci", { name: "ci", role });
    const member = (role: string, more = {}) =>
      declared("membership", "deploys", { role, bot_user_id: ref("bot_user", "ci"), ...more });
    const shop = declared("project", "shop", { name: "web-shop" });
    const inShop = { project_id: ref("project", "shop") };
    const open = (mode: string) =>
      declared("guarantee", "closed", { expect: "refused", addresses: ["*:443"], mode });
    const viewer = bot("viewer");
    const cases: [before: WorldObject[], after: WorldObject[], rule: string, sentence: string][] = [
      [
        [],
        [bot("admin")],
        "role-raised",
        "The new bot `ci` is an admin, and its API keys may do everything.",
      ],
      [
        [viewer],
        [viewer, member("admin")],
        "role-raised",
        "The new membership `deploys` makes `ci` an admin of the whole account.",
      ],
      [
        [viewer, shop, member("viewer", inShop)],
        [viewer, shop, member("admin", inShop)],
        "role-raised",
        "The membership `deploys` now makes `ci` an admin of the project `shop` (before: viewer).",
      ],
      [
        [agent, edge()],
        [agent, edge(), open("enforce")],
        "guarantee-broken",
        "The new guarantee `closed` does not hold: that requests to `*:443` are refused. The server refuses nothing because of it until it holds.",
      ],
    ];
    for (const [before, after, rule, sentence] of cases)
      expect(onlyFinding(world(before), world(after))).to.include({ rule, severity: "high", sentence });
    expect(rulesOf(world(), world(bot("member")))).to.deep.equal([]);
    expect(rulesOf(world(viewer), world(viewer, member("member")))).to.deep.equal([]);
    expect(rulesOf(world(agent), world(agent, open("enforce")))).to.deep.equal([]);
    // Nothing refuses the new one, so that a hash accepts it; one that was there is refused by the server.
    const [fresh] = findingsOf(world(agent, edge()), world(agent, edge(), open("enforce")));
    const [broken] = findingsOf(world(agent, open("enforce")), world(agent, edge(), open("enforce"))).filter(
      ({ rule }) => rule === "guarantee-broken",
    );
    for (const [finding, isAccepted] of [
      [fresh, true],
      [broken, false],
    ] as const)
      expect(finding && isAcceptedBy(finding, new Set([finding.hash]))).to.equal(isAccepted);
  });

  it("report a new API key of an admin, and are uncertain if its owner is not visible", () => {
    const key = declared("api_key", "ci", { owner_id: "usr_1", expires_at: "2036-01-01T00:00:00Z" });
    const known = (...objects: WorldObject[]): World => ({ objects, admins: ["usr_1"], caller: "usr_1" });
    expect(onlyFinding(known(), known(key))).to.include({
      rule: "admin-key-created",
      severity: "high",
      certain: true,
    });
    expect(onlyFinding(world(), world(key))).to.include({ rule: "admin-key-created", certain: false });
    const bot = declared("bot_user", "ci", { name: "ci", active: true });
    const ofBot = declared("api_key", "ci", { owner_id: bot.id, expires_at: "2036-01-01T00:00:00Z" });
    expectNothing(known(bot), known(bot, ofBot));
    const admin = { ...bot, fields: { ...bot.fields, role: "admin" } };
    expect(onlyFinding(known(admin), known(admin, ofBot)).rule).to.equal("admin-key-created");
  });
});

describe("Findings about an object as such", () => {
  const soon = { ...authority("partners", "2026-07-01T00:00:00Z") };
  const inUse = (ca: WorldObject) => world(agent, ca, edge(mutual("partners")));

  it("are new for an object that the change creates, and listed apart for others", () => {
    const made = compare(world(agent), inUse(soon), { now });
    expect(made.findings.map(({ rule }) => rule)).to.include("expires-soon");
    const stood = compare(
      inUse(soon),
      inUse({ ...soon, fields: { ...soon.fields, description: "another" } }),
      { now },
    );
    expect(stood.findings).to.deep.equal([]);
    expect(stood.standing.map(({ rule, severity }) => [rule, severity])).to.deep.equal([
      ["expires-soon", "low"],
    ]);
    expect(compare(inUse(soon), inUse(soon)).standing).to.deep.equal([]); // nobody said what day it is
    expect(
      compare(inUse(soon), inUse(soon), { now: new Date("2026-01-01T00:00:00Z") }).standing,
    ).to.deep.equal([]);
  });

  it("cover certificates, keys and authorities that end within 90 days, keys without end, cloud keys, and unused objects", () => {
    const key = (expires_at?: string) => declared("api_key", "ci", { owner_id: "usr_2", expires_at });
    const to = (auth: object) =>
      declared("event_destination", "audit", { target: { log_service: { auth, log_group_ref: "arn" } } });
    const known = (...objects: (WorldObject | WorldObject[])[]): World => ({
      objects: objects.flat(),
      admins: [],
    });
    const cases: [WorldObject | WorldObject[], found: string[], standing?: string[]][] = [
      [certificate({ valid_until: "2026-06-08T00:00:00Z" }), ["expires-soon"]],
      // The next run makes it anew.
      [certificate({ valid_for: "8h", renew_before: "1h", valid_until: "2026-06-01T08:00:00Z" }), []],
      [certificate(), []],
      [key("2026-08-01T00:00:00Z"), ["expires-soon"]],
      [key("2026-12-01T00:00:00Z"), []],
      [key(), ["key-without-end"], []],
      [to({ creds: { cloud_access_key_id: "id" } }), ["long-lived-cloud-keys"]],
      [to({ role: { role_ref: "arn" } }), []],
      [policy("office", "allow 10.0.0.0/8"), ["unused"]],
      [authority("partners"), ["unused"]],
      [declared("static_backend", "one", { address: "10.0.0.1:80" }), ["unused"]],
      [
        [declared("tls_edge", "old"), declared("tls_edge", "new", { waits_for: { id: "tls_edge_old" } })],
        ["waits-for"],
      ],
      [[declared("tls_edge", "old"), declared("tls_edge", "new", { waits_for: null })], []],
    ];
    for (const [objects, rules, standing = rules] of cases) {
      expect(findingsOf(known(), known(objects), { now }).map(({ rule }) => rule)).to.deep.equal(rules);
      expect(compare(known(objects), known(objects), { now }).standing.map(({ rule }) => rule)).to.deep.equal(
        standing,
      );
    }
    const [ended] = findingsOf(known(), known(key("2026-05-01T00:00:00Z")), { now });
    expect(ended?.sentence).to.equal(
      "The API key `ci` ended on 2026-05-01T00:00:00Z: requests with it are refused.",
    );
  });

  it("are uncertain if objects that are not visible may use the object", () => {
    const partial = (...objects: WorldObject[]): World => ({ objects, partial: true });
    expect(onlyFinding(partial(), partial(...policy("office", "allow 10.0.0.0/8")))).to.include({
      rule: "unused",
      certain: false,
    });
    expect(findingsOf(partial(), partial({ ...authority("partners"), used: true }))).to.deep.equal([]);
  });
});

describe("A finding", () => {
  const before = (suffix: string) =>
    world({ ...agent, id: `cr_${suffix}` }, policy("office", "allow 10.0.0.0/8"));

  it("has the same hash on another day, with other ids, and in another order", () => {
    const change = (suffix: string, day: string) => {
      const ca = { ...authority("partners", "2026-07-01T00:00:00Z"), id: `ca_${suffix}` };
      const app = { ...edge(mutual("partners")), id: `edgtls_${suffix}` };
      const after = world(before(suffix).objects as WorldObject[], ca, app);
      return compare({ objects: before(suffix).objects.toReversed() }, after, { now: new Date(day) });
    };
    const [one, other] = [change("1", "2026-06-01T00:00:00Z"), change("2", "2026-06-02T00:00:00Z")];
    expect(one.findings.map(({ hash }) => hash)).to.deep.equal(other.findings.map(({ hash }) => hash));
    expect(one.hash).to.equal(other.hash);
    expect(one.findings).to.have.length.greaterThan(1);
  });

  it("has a unique hash, even if two objects have the same name", () => {
    const twin = (id: string) => ({
      kind: "tunnel_credential",
      id,
      fields: { description: "ci", acl: ["bind:a.example.com"] },
    });
    const found = findingsOf(world(twin("cr_1"), twin("cr_2")), world());
    expect(new Set(found.map(({ hash }) => hash)).size).to.equal(2);
    expect(found.map(({ id }) => id).sort()).to.deep.equal(["cr_1", "cr_2"]);
    expect(found[0]?.sentence).to.contain(`(${found[0]?.id})`);
  });

  it("belongs to one rule of the list, in which each rule is once, with its severity", () => {
    expect(new Set(RULES.map(({ rule }) => rule)).size).to.equal(RULES.length);
    const count = (severity: string) => RULES.filter((rule) => rule.severity === severity).length;
    expect([count("high"), count("medium"), count("low")]).to.deep.equal([19, 25, 8]);
  });
});
