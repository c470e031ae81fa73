import type { World, WorldObject } from "@tunnelplane/sdk/meaning";
import {
  compare,
  decisions,
  evaluateGuarantee,
  exposureOf,
  guaranteesBrokenBy,
} from "@tunnelplane/sdk/meaning";
import { declared, edge, policy, ref, restricted, world } from "./worlds";

const END = "2026-06-01T12:00:00Z";
const HOUR_MS = 3_600_000;
const at = (hours: number) => Date.parse(END) + hours * HOUR_MS;

const rule = (fields: object = {}) =>
  declared("ip_policy_rule", "supplier", {
    ...{ ip_policy_id: ref("ip_policy", "office"), action: "allow", cidr: "198.51.100.0/24" },
    ...fields,
  });
const office = policy("office", "allow 10.0.0.0/8");
const served = (...objects: WorldObject[]) => world(office, edge(restricted("office")), ...objects);
const when = (hours: number, of: World): World => ({ ...of, now: at(hours) });
const request = { address: "app.example.com:443", from: "198.51.100.7" };
const outcome = (of: World) => decisions(of).decide(request).outcome;

describe("Access that ends", () => {
  it("holds until its end, and not from then on, in decisions, exposures and guarantees alike", () => {
    const agent = (expires_at: string | null) =>
      declared("tunnel_credential", "agent", { acl: [], expires_at });
    const all = served(rule({ expires_at: END }), agent(END));
    const nobody = { expect: "refused", addresses: ["*:443"], except_networks: ["10.0.0.0/8"] };
    for (const [hours, isHeld] of [
      [-1, true],
      [0, false],
      [1, false],
    ] as const) {
      const then = when(hours, all);
      const [row] = exposureOf(then);
      expect(JSON.stringify(row?.networks).includes("198.51.100.0/24"), String(hours)).to.equal(isHeld);
      expect(row?.served_by.credentials).to.have.length(isHeld ? 1 : 0);
      expect(evaluateGuarantee(then, nobody).state).to.equal(isHeld ? "broken" : "holds");
      expect(outcome(when(hours, served(rule({ expires_at: END }), agent(null))))).to.equal(
        isHeld ? "answered" : "closed",
      );
    }
  });

  it("closes and never opens: a rule that denies goes on, whatever end it was stored with", () => {
    const open = policy("office", "allow 198.51.100.0/24");
    const denied = rule({ action: "deny", expires_at: END });
    const all = world(
      open,
      edge(restricted("office")),
      denied,
      declared("tunnel_credential", "a", { acl: [] }),
    );
    for (const hours of [-1, 1]) expect(outcome(when(hours, all))).to.equal("closed");
  });

  it("may still hold where its end is not known yet", () => {
    const unknown = rule({ expires_at: "04da6b54-80e4-46f7-96ec-b56ff0331ba9" });
    expect(outcome(when(1, served(unknown, declared("tunnel_credential", "a", { acl: [] }))))).to.equal(
      "answered",
    );
  });

  it("is found within a week of its end and after it; the hash is that of the end, on every day", () => {
    const found = (hours: number) => {
      const made = compare(served(), served(rule({ expires_at: END })), { now: new Date(at(hours)) });
      return made.findings.filter((one) => one.rule === "access-ends");
    };
    expect(found(-8 * 24)).to.deep.equal([]);
    const [soon, later, past] = [-6 * 24, -1, 24].map((hours) => found(hours)[0]);
    expect(soon?.sentence).to.contain(`ends on ${END}, within 7 days: from then on it lets nobody in.`);
    expect(past?.sentence).to.contain(`ended on ${END}: it lets nobody in.`);
    expect(new Set([soon?.hash, later?.hash, past?.hash]).size).to.equal(1);
    expect(soon).to.include({ severity: "low", certain: true });
    const stood = compare(served(rule({ expires_at: END })), served(rule({ expires_at: END })), {
      now: new Date(at(24)),
    });
    expect([stood.findings, stood.standing.map((one) => one.rule)]).to.deep.equal([[], ["access-ends"]]);
    expect(stood.access.verdict).to.equal("opens nothing");
  });

  it("that goes on for longer is a finding; what had ended and is let in again opens", () => {
    const next = "2026-06-02T12:00:00Z";
    const between = (before: string | null, after: string | null, hours = -24) =>
      compare(served(rule({ expires_at: before })), served(rule({ expires_at: after })), {
        now: new Date(at(hours)),
      });
    const rulesOf = ({ findings }: ReturnType<typeof compare>) => findings.map((one) => one.rule);
    expect(rulesOf(between(END, next))).to.include("validity-extended");
    expect(rulesOf(between(END, null))).to.deep.equal(["validity-extended"]);
    expect(rulesOf(between(next, END))).not.to.include("validity-extended");
    expect(rulesOf(between(null, END))).to.deep.equal(["access-ends"]);
    const hashes = [END, next, null].map((end) => between("2026-06-01T00:00:00Z", end).hash);
    expect(new Set(hashes).size, "another end, another hash").to.equal(3);
    const again = between(END, next, 1);
    expect(again.access.verdict).to.equal("opens");
    expect(rulesOf(again)).to.include.members(["network-widened", "validity-extended"]);
    const guarded = { expect: "refused", addresses: ["*:443"], except_networks: ["10.0.0.0/8"] };
    const [ended, on] = [END, next].map((end) => when(1, served(rule({ expires_at: end })))) as [
      World,
      World,
    ];
    expect(guaranteesBrokenBy(ended, on, [guarded])).to.have.length(1);
    expect(guaranteesBrokenBy(on, ended, [guarded])).to.deep.equal([]);
  });
});
