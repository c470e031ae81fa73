import type { Definition } from "../core/definition";
import { keysOf } from "../core/narrow";
import { plural } from "../core/spelling";
import { registry } from "../registry";
import { ROLES, type Role } from "../role";
import { includesPermission, leastScopes, type Permission, scopesFor } from "./scopes";

/** The most that each role may do; a role that is left out may do nothing. */
type Rights = Readonly<Partial<Record<Role, Permission>>>;

const USUAL: Rights = { member: "write", viewer: "plan", admin: "write" };
const READERS: Rights = { member: "read", viewer: "read", admin: "read" };

/** By the `access` of a kind. Where only owners see an object, others do not find it. */
const OF_KINDS: Readonly<Record<Definition["access"], Rights>> = {
  everyone: USUAL,
  owner: USUAL,
  admin: { viewer: "plan", admin: "write" },
  accountWrites: { member: "read", viewer: "plan", admin: "write" },
  adminsWrite: { member: "read", viewer: "plan", admin: "write" },
  account: { member: "read", viewer: "plan", admin: "write" },
};

/** A part of the service that is not a kind of object. */
interface Part {
  readonly rights: Rights;
  /** What is done, in words that follow "may". */
  readonly words: Readonly<Partial<Record<Permission, string>>>;
  /** Which scopes allow it, where it is not the one named like the permission. */
  readonly scopes?: "none" | "of any kind";
  /** Permissions for which the role must hold in the whole account. */
  readonly ofAccount?: readonly Permission[];
}

const see = (what: string): Part["words"] => ({ read: `see ${what}` });

const PARTS = {
  caller: { rights: { ...READERS, gateway: "read" }, words: see("who they are"), scopes: "none" },
  event_type: { rights: READERS, words: see("the types of events") },
  exposure: { rights: READERS, words: see("who can reach what") },
  reference: { rights: READERS, words: see("what refers to what") },
  // It finds objects only of those kinds that the caller may read.
  search: { rights: READERS, words: { read: "search objects" }, scopes: "of any kind" },
  // Each object of a set is looked at by its own kind.
  change_set: {
    rights: USUAL,
    words: { read: "see change sets", plan: "plan change sets", write: "apply and release change sets" },
    scopes: "of any kind",
  },
  event: { rights: { viewer: "read", admin: "read" }, words: see("events") },
  // Gateways follow it, and read in it no more of an object than they may of the object itself.
  event_list: { rights: { viewer: "read", admin: "read", gateway: "read" }, words: see("events") },
  audit_event: { rights: { admin: "read" }, words: see("the audit log") },
  user: {
    rights: { admin: "write" },
    words: { read: "see users", plan: "plan changes of users", write: "change users" },
    ofAccount: ["read", "plan", "write"],
  },
  session: {
    rights: { admin: "write" },
    words: { read: "see sessions", plan: "plan to end sessions", write: "end sessions" },
    ofAccount: ["read", "plan", "write"],
  },
  endpoint: { rights: READERS, words: see("endpoints") },
  tunnel: { rights: READERS, words: see("tunnels") },
  // Members see and end those of their own credentials.
  tunnel_session: {
    rights: USUAL,
    words: {
      read: "see sessions of agents",
      plan: "plan to end sessions of agents",
      write: "end sessions of agents",
    },
  },
  gateway: {
    rights: { member: "read", viewer: "plan", admin: "write", gateway: "read" },
    words: {
      read: "see gateways",
      plan: "plan to remove a gateway from the list",
      write: "remove a gateway from the list",
    },
    ofAccount: ["write"],
  },
  gateway_status: {
    rights: { admin: "write", gateway: "write" },
    words: { write: "report what is served" },
    ofAccount: ["write"],
  },
  bind_authorization: {
    rights: { admin: "read", gateway: "read" },
    words: { read: "ask who may bind what" },
    ofAccount: ["read"],
  },
  metrics: {
    rights: { admin: "read", metrics: "read" },
    words: { read: "read metrics" },
    ofAccount: ["read"],
  },
} as const satisfies Readonly<Record<string, Part>>;

/** The thing that a permission is about: objects of a kind, or a part of the service. */
export type Subject = Definition | keyof typeof PARTS;

/** The role of a caller and the scopes of its key; an empty list stands for all scopes. */
export interface Rightful {
  /** Null for a user who has none. */
  readonly role: Role | null;
  /** The role in the whole account; null for none. Default: the same role. */
  readonly accountRole?: Role | null;
  readonly scopes: readonly string[];
}

/**
 * Why a caller may not do something; undefined if it may. The one rule for every endpoint and every change.
 * `seesAll` and the `access` of a kind decide whose objects it sees.
 */
export function refusalOf(caller: Rightful, permission: Permission, subject: Subject): string | undefined {
  const { role, accountRole = role, scopes } = caller;
  const { rights, kind, part, ofAccount } = readingOf(subject);
  if (role === null)
    return subject === "caller" && permission === "read"
      ? undefined
      : "You have no role here yet: an admin gives you one with a membership";
  const allowed = rights[role];
  if (allowed === undefined || !includesPermission(allowed, permission))
    return `Only ${rolesFor(rights, permission)} may ${wordsFor(permission, subject)}; the role of this API key is ${role}`;
  const inAccount = accountRole === null ? undefined : rights[accountRole];
  if (
    ofAccount?.includes(permission) &&
    !(inAccount !== undefined && includesPermission(inAccount, permission))
  )
    return `Only ${rolesFor(rights, permission)} of the account may ${wordsFor(permission, subject)}; the role of this API key is ${role} in a project`;
  if (scopes.length === 0 || part?.scopes === "none") return undefined;
  const isAnyKind = part?.scopes === "of any kind";
  const enough = scopesFor(permission, kind);
  if (scopes.some((scope) => enough.includes(scope) || (isAnyKind && isOfAKind(scope, permission))))
    return undefined;
  return `This API key may not ${wordsFor(permission, subject)}: it lacks the scope ${leastScopes(permission, kind)}, and has ${listOf(scopes.map((scope) => `"${scope}"`))}`;
}

/** Whether a caller may do something. */
export const may = (caller: Rightful, permission: Permission, subject: Subject): boolean =>
  refusalOf(caller, permission, subject) === undefined;

/**
 * What a bot of a role may do, with a key of all scopes, that these scopes do not hold: the first of it, as
 * the scope that is missing. Undefined if there is nothing.
 */
export function scopeBeyond(scopes: readonly string[], role: Role): string | undefined {
  if (scopes.length === 0) return undefined;
  for (const subject of [...registry, ...keysOf(PARTS)]) {
    const { rights, kind, part } = readingOf(subject);
    const permission = rights[role];
    if (permission === undefined || part?.scopes === "none") continue;
    const enough = scopesFor(permission, kind);
    if (!scopes.some((scope) => enough.includes(scope))) return leastScopes(permission, kind);
  }
  return undefined;
}

interface Reading {
  readonly rights: Rights;
  readonly kind?: string;
  readonly part?: Part;
  readonly ofAccount?: readonly Permission[];
}

function readingOf(subject: Subject): Reading {
  if (typeof subject === "string") {
    const part: Part = PARTS[subject];
    return { part, rights: part.rights, ofAccount: part.ofAccount };
  }
  return {
    kind: subject.kind,
    rights: subject.readByGateways ? FOR_GATEWAYS[subject.access] : OF_KINDS[subject.access],
    ...((subject.access === "account" || subject.access === "accountWrites") && {
      ofAccount: ["write"] as const,
    }),
  };
}

const FOR_GATEWAYS = Object.fromEntries(
  Object.entries(OF_KINDS).map(([access, rights]) => [access, { ...rights, gateway: "read" }]),
) as typeof OF_KINDS;

/** `tls_edge:write` counts for each kind where a set may hold any. */
const isOfAKind = (scope: string, permission: Permission): boolean =>
  scope.includes(":") && (permission === "read" || scope.endsWith(":write"));

const VERBS: Readonly<Record<Permission, string>> = { read: "see", plan: "plan changes of", write: "change" };

function wordsFor(permission: Permission, subject: Subject): string {
  if (typeof subject !== "string") return `${VERBS[permission]} ${plural(subject.title)}`;
  const part: Part = PARTS[subject];
  return part.words[permission] ?? permission;
}

function rolesFor(rights: Rights, permission: Permission): string {
  const able = ROLES.filter((role) => {
    const allowed = rights[role];
    return allowed !== undefined && includesPermission(allowed, permission);
  });
  return listOf(able.map((role) => (role === "metrics" ? "bots of role metrics" : `${role}s`)));
}

const listOf = (words: readonly string[]): string =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
