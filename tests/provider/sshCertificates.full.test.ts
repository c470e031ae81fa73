import { join } from "node:path";
import type * as dynamic from "@tunnelplane/pulumi";
import type { Engine, Run } from "../support/engine";
import { changesOf, describeStacks, makeSshKey } from "../support/provider";
import { NAMES, PROVIDERS } from "../support/providers";

const HOUR = 3_600_000;
const LIST_KEYS = {
  SshUserCertificate: "ssh_user_certificates",
  SshHostCertificate: "ssh_host_certificates",
} as const;
type Type = keyof typeof LIST_KEYS;
const TYPES = Object.keys(LIST_KEYS) as Type[];
type Args = Partial<dynamic.SshHostCertificateArgs>;

interface Issued {
  readonly id: string;
  readonly description: string;
  readonly certificate: string;
  readonly principals: readonly string[];
  readonly valid_after: string;
  readonly valid_until: string;
}

/** Only the native provider shows a property that no input holds; a warning says why in both. */
const REPLACED = {
  dynamic: ["create-replacement", "replace", "delete-replaced"],
  native: ["create-replacement validUntil", "replace validUntil", "delete-replaced"],
};
/** Who refuses a certificate without principals. */
const REFUSED_BY = {
  SshUserCertificate: "sshd refuses such certificates",
  SshHostCertificate: "OpenSSH 10.3",
} as const;

describeStacks("SSH certificates in a program", ({ world, server }) => {
  const publicKey = makeSshKey();
  let stack: Engine;
  const declared: Record<string, Args> = {
    ...{ plain: {}, renewed: { validFor: "30d", renewBefore: "10d" }, due: { renewBefore: "8h" } },
    ...{ early: { renewBefore: "8h" }, expiring: { validFor: "2d" } },
    ...{ edited: { validFor: "2d", renewBefore: "8h" }, principals: {}, nobody: { principals: [] } },
  };
  const nameOf = (provider: string, type: Type, of: string) => `${provider}-${type}-${of}`;
  function declare(): void {
    for (const [provider, tunnels] of Object.entries(PROVIDERS)) {
      const authority = new tunnels.SshCertificateAuthority(provider);
      for (const type of TYPES)
        for (const [of, args] of Object.entries(declared)) {
          const name = nameOf(provider, type, of);
          const sshCertificateAuthorityId = authority.id;
          const given = { sshCertificateAuthorityId, publicKey, principals: ["ada"], description: name };
          new tunnels[type](name, { ...given, ...args });
        }
    }
  }

  /** What one run did, with the certificates that the server has after it. */
  interface Done extends Run {
    readonly warningsOf: (name: string) => string[];
    readonly issued: readonly Issued[];
  }

  async function done(run: () => Promise<Run>): Promise<Done> {
    const seen = stack.events.length;
    const ran = await run();
    const events = stack.events.slice(seen).map((event) => JSON.parse(event).diagnosticEvent);
    const warnings = events.filter((event) => event?.severity === "warning");
    const lists = await Promise.all(
      Object.values(LIST_KEYS).map(async (key) => (await server.rest.get(`/${key}?limit=100`)).body[key]),
    );
    return {
      ...ran,
      warningsOf: (name) =>
        warnings.filter(({ urn }) => urn?.endsWith(`::${name}`)).map(({ message }) => message),
      issued: lists.flat(),
    };
  }

  /** Moves the recorded ends of certificates to so many hours from now, as if time had passed. */
  function leave(hoursOf: Readonly<Record<string, number>>): void {
    stack.editState((resource) => {
      const hours = hoursOf[resource.urn.split("-").at(-1) ?? ""];
      if (hours === undefined) return;
      const sooner = new Date(Date.now() + hours * HOUR).toISOString();
      const end = String(resource.outputs?.validUntil);
      Object.assign(resource, JSON.parse(JSON.stringify(resource).replaceAll(end, sooner)));
    });
  }

  let startedAt: number;
  let endedAt: number;
  const runs = {} as Record<
    | "planned"
    | "first"
    | "again"
    | "refreshed"
    | "plannedLater"
    | "later"
    | "laterStill"
    | "withoutTimes"
    | "last",
    Done
  >;
  before("run the program, again and again", async () => {
    stack = await world.stack(server, async () => declare());
    const plan = join(stack.folder, "plan.json");
    runs.planned = await done(() => stack.preview({ plan }));
    startedAt = Date.now();
    runs.first = await done(() => stack.up({ plan }));
    endedAt = Date.now();
    runs.again = await done(() => stack.up());
    await stack.refresh();
    runs.refreshed = await done(() => stack.up());
    leave({ due: 7, early: 9, expiring: -1 });
    declared.edited = { validFor: "2d", renewBefore: "4h" };
    declared.principals = { principals: ["ada", "root"] };
    declared.nobody = {};
    runs.plannedLater = await done(() => stack.preview({ diff: true, plan }));
    runs.later = await done(() => stack.up({ plan }));
    declared.edited = { validFor: "3d", renewBefore: "4h" };
    runs.laterStill = await done(() => stack.up());
    declared.edited = {};
    runs.withoutTimes = await done(() => stack.up());
    runs.last = await done(() => stack.up());
  });

  for (const provider of NAMES) {
    describe(`(${provider} provider)`, () => {
      for (const type of TYPES) {
        const name = (of: string) => nameOf(provider, type, of);
        const changes = (run: Done, of: string) =>
          changesOf(run)
            .filter((change) => change.split(" ")[1] === name(of))
            .map((change) => change.replace(` ${name(of)}`, ""));
        const issued = (run: Done, of: string) =>
          run.issued.filter(({ description }) => description === name(of));
        const one = (run: Done, of: string): Issued => {
          const [found, ...others] = issued(run, of);
          expect(others).to.deep.equal([]);
          if (!found) throw new Error(`There is no certificate ${name(of)}`);
          return found;
        };

        it(`a program that leaves the times of an ${type} to the server changes nothing in later runs, and a refresh finds no drift`, () => {
          const { first, again, refreshed } = runs;
          const { valid_after, valid_until } = one(first, "plain");
          expect(Date.parse(valid_until) - Date.parse(valid_after)).to.equal(24 * HOUR);
          for (const run of [again, refreshed]) expect(changes(run, "plain")).to.deep.equal([]);
          expect(issued(refreshed, "plain")).to.deep.equal(issued(first, "plain"));
        });

        it(`a renewed ${type} stays while enough is left of it, through runs and refreshes; the preview says which end it would have`, () => {
          const [said] = runs.planned.warningsOf(name("renewed"));
          expect(said).to.match(new RegExp(`${type}: ends at \\S+ if it is made now`));
          const { first, again, refreshed } = runs;
          const end = Date.parse(one(first, "renewed").valid_until) - 30 * 24 * HOUR;
          expect(end).to.be.within(startedAt - 1000, endedAt);
          for (const run of [again, refreshed]) expect(changes(run, "renewed")).to.deep.equal([]);
          expect(issued(refreshed, "renewed")).to.deep.equal(issued(first, "renewed"));
        });

        it(`a renewed ${type} is replaced, the new one first, once less is left of it, by the plan that the preview saved; the preview says which end it would have`, () => {
          const { first, plannedLater, later, laterStill } = runs;
          expect(changes(plannedLater, "due")).to.deep.equal(REPLACED[provider]);
          expect(plannedLater.warningsOf(name("due")).join(), "why").to.match(
            /less than its `renewBefore` of 8h is left: a new one replaces it, which ends at \S+ if it is made now/,
          );
          expect(changes(later, "due")).to.deep.equal(REPLACED[provider]);
          const [old, replacement] = [one(first, "due"), one(later, "due")];
          expect(replacement.id).not.to.equal(old.id);
          expect(replacement.certificate).not.to.equal(old.certificate);
          expect(changes(laterStill, "due"), "not again").to.deep.equal([]);
        });

        it(`a renewed ${type} is not renewed while more than renewBefore is left of it`, () => {
          expect(changes(runs.later, "early")).to.deep.equal([]);
          expect(issued(runs.later, "early")).to.deep.equal(issued(runs.first, "early"));
        });

        it(`an ${type} without renewBefore is left to expire`, () => {
          expect(changes(runs.later, "expiring")).to.deep.equal([]);
          expect(issued(runs.later, "expiring")).to.deep.equal(issued(runs.first, "expiring"));
        });

        it(`another renewBefore of an ${type} is recorded without a new certificate; another validFor needs one`, () => {
          const { first, later, laterStill, withoutTimes, last } = runs;
          expect(changes(later, "edited")).to.deep.equal(["update renewBefore"]);
          expect(issued(later, "edited")).to.deep.equal(issued(first, "edited"));
          const besides = provider === "native" ? " validUntil" : "";
          expect(changes(laterStill, "edited")[0]).to.equal(`create-replacement validFor${besides}`);
          expect(laterStill.warningsOf(name("edited")).join()).to.match(
            /: a new one replaces it, which ends at \S+ if it is made now/,
          );
          expect(one(laterStill, "edited").id).not.to.equal(one(first, "edited").id);
          expect(changes(withoutTimes, "edited")).to.deep.equal(["update renewBefore validFor"]);
          expect(changes(last, "edited")).to.deep.equal([]);
        });

        it(`another principal of an ${type} needs a new certificate, which is created before the old one is deleted`, () => {
          expect(changes(runs.later, "principals")).to.deep.equal([
            "create-replacement principals[1]",
            "replace principals[1]",
            "delete-replaced",
          ]);
        });

        it(`a preview warns of an ${type} without principals, and a run issues it as asked`, () => {
          const { planned, plannedLater, first } = runs;
          const [warning, ...others] = planned.warningsOf(name("nobody"));
          expect(warning).to.contain(`${type}: principals is empty`).and.to.contain(REFUSED_BY[type]);
          expect(others).to.deep.equal([]);
          expect(one(first, "nobody").principals).to.deep.equal([]);
          expect(plannedLater.warningsOf(name("nobody"))).to.deep.equal([]);
        });
      }
    });
  }
});
