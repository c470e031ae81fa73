import type { Answers } from "@tunnelplane/sdk";
import type { Kind, SentOf } from "@tunnelplane/sdk/contract";
import { admittedBy, holdsAddress, type NetworkSet } from "@tunnelplane/sdk/rules";
import type { Kysely } from "kysely";
import { isChangeOf, type ObjectChange } from "../journal";
import { type Database, inParts, isListed, type Store, statement } from "../storage";
import { isLoopback, RequestError } from "../util";
import type { Caller } from "./caller";
import { isAccountAdmin } from "./projects";
import { Recent } from "./recent";

type Type = SentOf<"ip_restriction">["type"];

const TYPES: readonly Type[] = ["api", "dashboard", "agent", "endpoints"];

/** Where a request comes from. */
export interface Origin {
  readonly ip: string;
  /** Whether a proxy speaks for the client. */
  readonly isForwarded: boolean;
}

type Restriction = Answers["ip_restriction"];

type Rule = Answers["ip_policy_rule"];

/** The kinds by which a caller could be kept out of the API. */
export const RESTRICTING: readonly Kind[] = ["ip_restriction", "ip_policy", "ip_policy_rule"];

/** Keeps callers out of the API and the console, as the enforced IP restrictions of the account say. */
export class Restrictions {
  readonly #admitted: Recent<Admitted>;

  constructor(private readonly store: Pick<Store, "reader">) {
    this.#admitted = new Recent(async () => admittedOf(store.reader, await restrictionsIn(store.reader)));
  }

  /** @throws RequestError if somebody without a key may not come from there */
  async refuse(part: Part, origin: Origin): Promise<void> {
    this.#refuse(await this.#admitted.get(), part, origin);
  }

  /** @throws RequestError if the caller may not come from there */
  async refuseCaller(caller: Caller, origin: Origin): Promise<void> {
    this.#refuse(await this.#admitted.get(), partOf(caller), origin, caller);
  }

  #refuse(admitted: Admitted, part: Part, origin: Origin, caller?: Caller): void {
    if (isAdmitted(admitted, part, origin, caller)) return;
    throw new RequestError(
      "forbidden",
      `An IP restriction of the account keeps ${origin.ip} out of ${WORDS[part]}; ask an admin to admit this address`,
    );
  }

  /** How many there are, for each type and whether they are enforced. */
  async counts(): Promise<{ type: Type; enforced: boolean; count: number }[]> {
    const all = await restrictionsIn(this.store.reader);
    return TYPES.flatMap((type) =>
      [true, false].map((enforced) => ({
        type,
        enforced,
        count: all.filter((one) => one.type === type && one.enforced === enforced).length,
      })),
    );
  }

  /** Call this after a change of restrictions, policies or rules, before answering it. */
  forget = (): void => this.#admitted.forget();
}

type Part = "api" | "dashboard";

const WORDS: Readonly<Record<Part, string>> = { api: "the API", dashboard: "the console" };

/** What a caller uses: the session of a browser is the console's, and every key is the API's. */
const partOf = ({ inBrowser }: Caller): Part => (inBrowser ? "dashboard" : "api");

/** Gateways are never kept out of the API, nor is an admin's key on the server's own machine. */
function isAdmitted(admitted: Admitted, part: Part, { ip, isForwarded }: Origin, caller?: Caller): boolean {
  const networks = admitted.get(part);
  if (!networks) return true;
  if (part === "api" && caller?.role === "gateway") return true;
  if (part === "api" && caller && isAccountAdmin(caller) && isLoopback(ip) && !isForwarded) return true;
  return holdsAddress(networks, ip);
}

/**
 * Refuses changes after which a restriction would keep their caller out, by the rule of the gate, and changes
 * of policies that
 * an enforced restriction uses by those who are no admins of the account.
 * @param force whether the caller wants to be kept out
 */
export async function refuseLockOut(
  db: Kysely<Database>,
  { caller, origin, force }: { readonly caller: Caller; readonly origin: Origin; readonly force: boolean },
  changes: readonly ObjectChange[],
): Promise<void> {
  const touching = changes.filter(({ definition: { kind } }) => RESTRICTING.includes(kind));
  if (touching.length === 0) return;
  const stored = await restrictionsIn(db);
  if (!isAccountAdmin(caller)) refuseForeignPolicies(stored, touching);
  if (force) return;
  const all = overlaid(stored, touching, "ip_restriction");
  const part = partOf(caller);
  if (!all.some(({ type, enforced }) => enforced && type === part)) return;
  if (isAdmitted(await admittedOf(db, all, touching), part, origin, caller)) return;
  throw new RequestError(
    "in_use",
    `This would keep you out of ${WORDS[part]}: no enforced restriction of type ${part} would admit ${origin.ip}; add a rule for it first, or repeat the request with ?force=true`,
  );
}

function refuseForeignPolicies(stored: readonly Restriction[], changes: readonly ObjectChange[]): void {
  const used = new Set(
    stored.flatMap(({ enforced, ip_policies }) => (enforced ? ip_policies.map(({ id }) => id) : [])),
  );
  for (const change of changes) {
    const policies = isChangeOf(change, "ip_policy_rule")
      ? [change.before, change.after].flatMap((rule) => rule?.ip_policy.id ?? [])
      : [change.id];
    if (policies.some((id) => used.has(id)))
      throw new RequestError(
        "forbidden",
        "An enforced IP restriction of the account uses this IP policy, so only admins of the account change it",
      );
  }
}

/** The networks that the enforced restrictions of each type admit; absent for a type without one. */
type Admitted = ReadonlyMap<Type, NetworkSet | undefined>;

/** @param changes of rules that may be planned alone */
async function admittedOf(
  db: Kysely<Database>,
  restrictions: readonly Restriction[],
  changes: readonly ObjectChange[] = [],
): Promise<Admitted> {
  const policies = restrictions.flatMap(({ enforced, ip_policies }) =>
    enforced ? ip_policies.map(({ id }) => id) : [],
  );
  if (policies.length === 0) return new Map();
  const rows = await inParts([...new Set(policies)], (part) => rulesOf(db, { policies: part }));
  const stored = rows.map(({ document }): Rule => JSON.parse(document));
  const rules = overlaid(stored, changes, "ip_policy_rule");
  const byPolicy = (id: string) => rules.filter(({ ip_policy }) => ip_policy.id === id);
  return new Map(
    (["api", "dashboard"] as const).map((type) => [type, admittedBy(type, restrictions, byPolicy)]),
  );
}

/** Stored objects as they are after changes, which may be planned alone. */
function overlaid<K extends "ip_restriction" | "ip_policy_rule">(
  stored: readonly Answers[K][],
  changes: readonly ObjectChange[],
  kind: K,
): Answers[K][] {
  const all = new Map(stored.map((one) => [one.id, one]));
  for (const change of changes) {
    if (!isChangeOf(change, kind)) continue;
    if (change.after) all.set(change.id, change.after);
    else all.delete(change.id);
  }
  return [...all.values()];
}

const restrictionsIn = async (db: Kysely<Database>): Promise<Restriction[]> =>
  (await everyRestriction(db, {})).map(({ document }) => JSON.parse(document));

/** The server looks at all of them for each decision, and gateways for each edge. */
export const MAX_RESTRICTIONS = 100;

/** The restrictions of every project. */
const everyRestriction = statement<object, Pick<Database["resource"], "document">>((db) =>
  db
    .selectFrom("resource")
    .select("document")
    .where("kind", "=", "ip_restriction")
    .orderBy("id")
    .limit(MAX_RESTRICTIONS),
);

const rulesOf = statement<{ policies: string }, { document: string }>((db, parameter) =>
  db
    .selectFrom("reference")
    .innerJoin("resource", "resource.id", "reference.from_id")
    .select("resource.document")
    .where(isListed(db, "to_id", parameter("policies")))
    .where("cascades", "=", 1),
);
