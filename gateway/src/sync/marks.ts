import { compareAccess, type World } from "@tunnelplane/sdk/meaning";
import type { Objects } from "../envoy/model";
import type { Part } from "../envoy/part";
import { only, worldOf } from "../envoy/unserved";
import { readKeptMap, writeWhole } from "../state/files";

/** Objects as Envoy serves them since a time, in milliseconds. */
export interface Moment {
  readonly objects: Objects;
  readonly now: number;
}

/** With more edges at once, all of them count as closing. */
const MAX_COMPARED = 20;

/**
 * Envoy keeps the connections of a chain that stays the same. Where a change refuses some who are connected,
 * the edge's chains get a new mark, so that their connections end. Marks are kept: a gateway that starts
 * changes nothing.
 */
export class Marks {
  readonly #marks: Map<string, number>;

  constructor(private readonly file: string) {
    this.#marks = readKeptMap(file);
  }

  get all(): ReadonlyMap<string, number> {
    return this.#marks;
  }

  /** Gives new marks where a change closes something. Returns whether it did. */
  mark(
    before: Moment,
    after: Moment,
    changed: readonly { readonly was: Part; readonly is: Part }[],
  ): boolean {
    const closing = closingAmong(before, after, changed);
    if (closing.size === 0) return false;
    for (const id of closing) this.#marks.set(id, (this.#marks.get(id) ?? 0) + 1);
    const { https_edge, tls_edge, tcp_edge } = after.objects;
    const known = new Set([...https_edge, ...tls_edge, ...tcp_edge].map(({ id }) => id));
    for (const id of this.#marks.keys()) if (!known.has(id)) this.#marks.delete(id);
    writeWhole(this.file, JSON.stringify([...this.#marks]));
    return true;
  }
}

function closingAmong(
  before: Moment,
  after: Moment,
  changed: readonly { readonly was: Part; readonly is: Part }[],
): ReadonlySet<string> {
  const leaving = changed.filter(({ was, is }) => hostsOf(was).some((host) => !hostsOf(is).includes(host)));
  const closing = new Set(leaving.map(({ is }) => is.id));
  const asked = changed
    .filter(({ was, is }) => !closing.has(is.id) && doesDecide(was, is))
    .map(({ is }) => is.id);
  if (asked.length === 0) return closing;
  if (asked.length > MAX_COMPARED) return new Set([...closing, ...asked]);
  const ids = new Set(asked);
  const world = (moment: Moment) => decided(only(moment.objects, ids), moment.now);
  const { closed, unproved } = compareAccess(world(before), world(after));
  const addresses = [
    ...closed.map(({ was, address }) => was ?? address),
    ...unproved.map(({ address }) => address),
  ];
  for (const { id, hostports } of edgesOf(before.objects, ids))
    if (addresses.some((address) => hostports.some((one) => address.split("/")[0] === one))) closing.add(id);
  return closing;
}

/** Decisions also need the policies themselves, of which a gateway reads only the rules. */
function decided(objects: Objects, now: number): World {
  const { https_edge, tls_edge, tcp_edge, ip_restriction, ip_policy_rule } = objects;
  const modules = [...https_edge.flatMap(({ routes }) => routes), ...tls_edge, ...tcp_edge].flatMap(
    (one) => one.ip_restriction ?? [],
  );
  const referred = [...modules, ...ip_restriction].flatMap((one) => one.ip_policies.map(({ id }) => id));
  const policies = new Set([...referred, ...ip_policy_rule.map(({ ip_policy }) => ip_policy.id)]);
  const world = worldOf(objects);
  const more = [...policies].map((id) => ({ kind: "ip_policy", id, fields: { id } }));
  return { ...world, objects: [...world.objects, ...more], now };
}

const edgesOf = ({ https_edge, tls_edge, tcp_edge }: Objects, ids: ReadonlySet<string>) =>
  [...https_edge, ...tls_edge, ...tcp_edge].filter(({ id }) => ids.has(id));

/** The hosts that are served. */
const hostsOf = ({ hostports }: Part): string[] =>
  hostports.filter(({ to }) => to.length > 0).map(({ host, port }) => `${host}:${port}`);

/** Whether something changed that decides who is let in; backends and certificates do not. */
const doesDecide = (was: Part, is: Part): boolean =>
  JSON.stringify([was.routes, was.hostports, was.listeners]) !==
  JSON.stringify([is.routes, is.hostports, is.listeners]);
