import type { EdgeKind } from "@tunnelplane/sdk/contract";
import { certificateFor } from "./certificates";
import { onceForEach } from "./indexes";
import { ENFORCED_KINDS } from "./kinds";
import type { Environment, Objects } from "./model";
import { byPolicy } from "./networks";
import type { Part } from "./part";
import { hostsWithSignIn } from "./sessionCookies";
import { type AnyEdge, edgesOf, hostportsOf, partOf, strangersOf, type World } from "./translate";
import { unservedOf } from "./unserved";

interface Kept extends Made {
  /** The certificates of its hosts, and when all certificates were last looked at. */
  readonly certificates: readonly unknown[];
  readonly looked: object;
}

interface Made {
  readonly part: Part;
  /** What it was made from, besides the addresses of upstreams: compared one by one. */
  readonly from: readonly unknown[];
  /** The upstreams that it asked for, and what was known of them. */
  readonly asked: ReadonlyMap<
    string,
    { readonly host: string; readonly port: number; readonly found: string }
  >;
}

/** Makes the parts of edges, and keeps each as long as what it was made from is the same. */
export class KeptParts {
  #kept = new Map<string, Kept>();
  #look: Look | undefined;

  of(objects: Objects, environment: Environment): Part[] {
    const world: World = { objects, environment, unserved: unservedOf(objects) };
    const common = commonOf(world);
    const byId = objectsById(objects);
    const { certificates, now } = environment;
    const look = isSameLook(this.#look, environment) ? this.#look.id : {};
    this.#look = { certificates, now, id: look };
    const kept = new Map<string, Kept>();
    const parts = edgesOf(objects).map(([kind, edge]) => {
      const from = [...common, ...originsOf(kind, edge, world, byId)];
      const known = this.#kept.get(edge.id);
      const shown = known?.looked === look ? known.certificates : certificatesOf(kind, edge, world);
      const isKept = known && isCurrent(known, from, environment) && isEach(known.certificates, shown);
      const made: Made = isKept ? known : make(kind, edge, world, from);
      kept.set(edge.id, { ...made, certificates: shown, looked: look });
      return made.part;
    });
    this.#kept = kept;
    return parts;
  }
}

/** All certificates at one time. */
interface Look extends Pick<Environment, "certificates" | "now"> {
  readonly id: object;
}

/** Whether the certificates are the same, and none of them has begun or ended since. */
export const isSameLook = <Before extends Pick<Environment, "certificates" | "now">>(
  before: Before | undefined,
  { certificates, now }: Pick<Environment, "certificates" | "now">,
): before is Before =>
  before !== undefined &&
  isEach(before.certificates, certificates) &&
  certificates.every(({ notBefore, notAfter }) =>
    [notBefore, notAfter].every((time) => before.now < time === now < time),
  );

const isEach = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((value, index) => value === b[index]);

function make(kind: EdgeKind, edge: AnyEdge, world: World, from: readonly unknown[]): Made {
  const asked = new Map<string, { host: string; port: number; found: string }>();
  const { environment } = world;
  const upstreams: Environment["upstreams"] = {
    find: (host, port) => {
      const found = environment.upstreams.find(host, port);
      asked.set(`${host}:${port}`, { host, port, found: JSON.stringify(found) });
      return found;
    },
  };
  const part = partOf(kind, edge, { ...world, environment: { ...environment, upstreams } });
  return { part, from, asked };
}

function isCurrent({ from, asked }: Made, now: readonly unknown[], environment: Environment): boolean {
  return (
    isEach(from, now) &&
    [...asked.values()].every(
      ({ host, port, found }) => JSON.stringify(environment.upstreams.find(host, port)) === found,
    )
  );
}

/** What the parts of all edges are made from. */
function commonOf({ objects, environment }: World): readonly unknown[] {
  const { listen, balancers, sockets, trust, issuers, keySets, unread } = environment;
  const { sessionKey, recording, counting, tracing, answersForIssuers } = environment;
  const restrictions = objects.ip_restriction.map((one) => [one, rulesIn(one, objects)]);
  return [
    JSON.stringify([
      listen,
      balancers,
      sockets,
      trust,
      sessionKey,
      recording,
      counting,
      tracing,
      restrictions,
    ]),
    JSON.stringify([answersForIssuers, [...issuers], keySets && [...keySets.keys()], unread && [...unread]]),
    JSON.stringify([...hostsWithSignIn(objects.https_edge)].sort()),
  ];
}

/** What the part of one edge is made from. */
function originsOf(
  kind: EdgeKind,
  edge: AnyEdge,
  world: World,
  byId: ReadonlyMap<string, object>,
): unknown[] {
  const { objects, environment, unserved } = world;
  const { tcpListen, marks } = environment;
  const taken = unserved.hostports.get(edge.id);
  return [
    edge,
    marks?.get(edge.id),
    unserved.edges.get(edge.id),
    taken && JSON.stringify([...taken]),
    kind === "tcp_edge" ? JSON.stringify(tcpListen) : strangersOf(kind, edge, world),
    ...referred(edge, objects, byId),
  ];
}

/** What its hosts show callers. */
const certificatesOf = (kind: EdgeKind, edge: AnyEdge, { environment, unserved }: World): unknown[] =>
  kind === "tcp_edge"
    ? []
    : hostportsOf(kind, edge, unserved.hostports.get(edge.id)).flatMap(({ host }) => {
        const found = certificateFor(host, environment.certificates, environment.now);
        return typeof found === "string"
          ? [found]
          : [found.chain, found.key, found.isReserved, ...found.names];
      });

/** The objects that an edge refers to, and those that they refer to, and why some cannot be read. */
function referred(edge: object, objects: Objects, byId: ReadonlyMap<string, object>): unknown[] {
  const seen = new Set<string>();
  const found: unknown[] = [];
  const follow = (thing: object) => {
    for (const id of namedIn(thing)) {
      if (seen.has(id)) continue;
      seen.add(id);
      found.push(id, objects.unreadable.get(id), ...(byPolicy(objects.ip_policy_rule).get(id) ?? []));
      const next = byId.get(id);
      found.push(next);
      if (next) follow(next);
    }
  };
  follow(edge);
  return found;
}

const ID = /^[a-z]+_\w+$/;

/** All texts in an object, its keys included, that look like ids. */
const namedIn = onceForEach((thing: object): readonly string[] => {
  const names = new Set<string>();
  const look = (value: unknown): void => {
    if (typeof value === "string") {
      if (ID.test(value)) names.add(value);
    } else if (typeof value === "object" && value !== null)
      for (const [key, one] of Object.entries(value)) {
        look(key);
        look(one);
      }
  };
  look(thing);
  return [...names];
});

const objectsById = (objects: Objects): ReadonlyMap<string, object> =>
  new Map(ENFORCED_KINDS.flatMap((kind) => objects[kind].map((one): [string, object] => [one.id, one])));

const rulesIn = (thing: object, objects: Objects): unknown[] =>
  namedIn(thing).flatMap((id) => byPolicy(objects.ip_policy_rule).get(id) ?? []);
