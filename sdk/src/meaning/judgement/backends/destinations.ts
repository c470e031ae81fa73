import type { Model, ModelObject } from "../../model";
import { holdsUnknown, isObject, textIn } from "../../values";
import { refuseAnswer } from "../rules/answers";
import { Unservable } from "../rules/unservable";
import type { Credentials } from "./binding";
import { BACKEND_FAULTS, MAX_IN_ORDER, MAX_NESTED } from "./faults";
import { childrenOf, isBackend, weightsOf } from "./flows";

/** Something that answers in the end: the gateway itself with a status, or null for a server behind it. */
type End = number | null;

/** The destination of traffic: where Envoy sends it, and who may answer. */
export interface Destination {
  /**
   * `nowhere`: no backend has a weight. `answer`: Envoy answers by itself. `clusters`: it shares traffic out.
   * `order`: the first that is up gets everything.
   */
  readonly kind: "nowhere" | "answer" | "clusters" | "order";
  /** The clusters, as the gateway names them; for `order`, the members of all failovers in it. */
  readonly members: ReadonlyMap<string, readonly End[]>;
  /** Empty if nothing answers. */
  readonly ends: readonly End[];
}

const NOWHERE: Destination = { kind: "nowhere", members: new Map(), ends: [] };
/**
 * The beginning of the name of a cluster in which Envoy splits connections: it is always up, whatever is
 * behind it.
 */
const WITHIN = "within ";
/** The beginning of the name of a cluster that answers by itself: it is always up, too. */
const ANSWER = "answer ";

/** Follows backends to their ends, each once. */
export class Backends {
  readonly #found = new Map<string, Destination | Unservable>();
  /** The backends around the one that is looked at. */
  readonly #around = new Set<string>();

  constructor(
    private readonly model: Model,
    private readonly credentials: Credentials,
  ) {}

  /**
   * @param http whether HTTP is read there, so that the gateway can answer by itself
   * @throws Unservable if Envoy could not send traffic that way
   */
  destination(reference: string, http: boolean): Destination {
    const found = this.#of(reference, http);
    if (found.kind === "order") this.#refuseUncertainOrder(found);
    return found;
  }

  /** Agents that bind a hostport. */
  tunnels(hostport: string): Destination {
    return this.#agents(hostport, this.credentials.ofHostport(hostport).length > 0);
  }

  #of(reference: string, http: boolean): Destination {
    const key = `${http} ${reference}`;
    const found = this.#found.get(key) ?? this.#follow(reference, http);
    this.#found.set(key, found);
    if (found instanceof Unservable) throw found;
    return found;
  }

  #follow(reference: string, http: boolean): Destination | Unservable {
    if (this.#around.has(reference)) return BACKEND_FAULTS.inItself(reference);
    if (this.#around.size > MAX_NESTED) return BACKEND_FAULTS.tooDeep(reference);
    this.#around.add(reference);
    try {
      return this.#read(reference, http);
    } catch (error) {
      if (error instanceof Unservable) return error;
      throw error;
    } finally {
      this.#around.delete(reference);
    }
  }

  #read(reference: string, http: boolean): Destination {
    const thing = this.model.find(reference);
    if (!thing || !isBackend(thing)) {
      // A backend outside of this world was checked when it was declared.
      if (this.model.partial) return single(reference, [null]);
      throw BACKEND_FAULTS.missing(reference);
    }
    const { fields } = thing;
    switch (thing.kind) {
      case "weighted_backend":
        return this.#weighted(thing, reference, http);
      case "failover_backend":
        // Which backend comes first, and so who answers, is known once all of them are.
        return holdsUnknown(fields.backends)
          ? single(reference, [null])
          : this.#failover(childrenOf(thing), reference, http);
      case "http_response_backend":
        return this.#answer(thing, reference, http);
      case "static_backend": {
        const tls = isObject(fields.tls) && fields.tls.enabled === true;
        return single(`${tls ? "tls" : "tcp"}:${textIn(fields.address) ?? reference}${spokenBy(fields)}`, [
          null,
        ]);
      }
      default: {
        const labels = isObject(fields.labels) ? fields.labels : {};
        return this.#agents(`${reference}${spokenBy(fields)}`, this.credentials.ofLabels(labels).length > 0);
      }
    }
  }

  /**
   * Agents may come even if no credential here allows it: a part of a world does not have all credentials.
   */
  #agents(name: string, mayBind: boolean): Destination {
    return single(name, mayBind || this.model.partial ? [null] : []);
  }

  #answer({ fields }: ModelObject, reference: string, http: boolean): Destination {
    if (!http) throw BACKEND_FAULTS.answersHttp(reference);
    if (holdsUnknown([fields.status_code, fields.headers]))
      return { kind: "answer", members: new Map([[`${ANSWER}${reference}`, [null]]]), ends: [null] };
    const status = Number(fields.status_code ?? 200);
    refuseAnswer(status, fields.headers);
    return { kind: "answer", members: new Map([[`${ANSWER}${reference}`, [status]]]), ends: [status] };
  }

  #weighted(thing: ModelObject, reference: string, http: boolean): Destination {
    const [first, ...rest] = weightsOf(thing).map(([id]) => id);
    if (!first) return holdsUnknown(thing.fields.backends) ? single(reference, [null]) : NOWHERE;
    if (rest.length === 0) return this.#of(first, http);
    const shares = [first, ...rest].map((id) => this.#share(id, http));
    return {
      kind: "clusters",
      members: new Map(shares.map(({ name, ends }) => [name, ends])),
      ends: shares.flatMap(({ ends }) => ends),
    };
  }

  #share(id: string, http: boolean): { readonly name: string; readonly ends: readonly End[] } {
    const found = this.#of(id, http);
    if (found.kind === "nowhere") throw BACKEND_FAULTS.weightless(id);
    if (found.kind === "order") this.#refuseUncertainOrder(found);
    if (http) refuseMixed(id, found);
    if (found.kind !== "order") return { name: nameOf(id, found), ends: found.ends };
    return { name: `${id}${spokenIn(found)[0] ?? EITHER}`, ends: found.ends };
  }

  /**
   * A failover inside another joins the order of the other: Envoy does not check the health of a failover,
   * and would skip it.
   */
  #failover(ids: readonly string[], reference: string, http: boolean): Destination {
    const going = [...new Set(ids)]
      .map((id) => ({ id, found: this.#of(id, http) }))
      .filter(({ found }) => found.kind !== "nowhere");
    const [first, ...rest] = going;
    if (!first) return NOWHERE;
    if (rest.length === 0) return first.found;
    const members = new Map(
      going.flatMap(({ id, found }): [string, readonly End[]][] =>
        found.kind === "order" ? [...found.members] : [[nameOf(id, found), found.ends]],
      ),
    );
    for (const { id, found } of http ? going : []) refuseMixed(id, found);
    if (members.size > MAX_IN_ORDER) throw BACKEND_FAULTS.tooMany(reference);
    return { kind: "order", members, ends: endsInOrder(members) };
  }

  #refuseUncertainOrder({ members }: Destination): void {
    const splitted = [...members.keys()].slice(0, -1).find((name) => name.startsWith(WITHIN));
    if (splitted !== undefined)
      throw BACKEND_FAULTS.notLast(splitted.slice(WITHIN.length).replace(/ h2$/, ""));
  }
}

/** How names of clusters end: those that speak only HTTP/2, all others, and those that take either. */
const [HTTP_2, HTTP_1, EITHER] = [" h2", "", " either"];
const spokenBy = ({ protocol }: ModelObject["fields"]): string => (protocol === "http2" ? HTTP_2 : HTTP_1);
const spokenIn = ({ members }: Destination): string[] => {
  const all = [...members.keys()].filter((name) => !name.startsWith(ANSWER) && !name.endsWith(EITHER));
  return [...new Set(all.map((name) => (name.endsWith(HTTP_2) ? HTTP_2 : HTTP_1)))];
};

/** Where a cluster must be one, Envoy shares out connections, and does not look into them. */
function refuseMixed(id: string, found: Destination): void {
  if (found.kind === "clusters" && found.members.size > 1 && spokenIn(found).length > 1)
    throw BACKEND_FAULTS.mixed(id);
}

const single = (name: string, ends: readonly End[]): Destination => ({
  kind: "clusters",
  members: new Map([[name, ends]]),
  ends,
});

/** The name of the one cluster for a destination. */
function nameOf(id: string, found: Destination): string {
  const { kind, members } = found;
  const [first, ...rest] = members.keys();
  return kind === "answer" || (first !== undefined && rest.length === 0)
    ? String(first)
    : `${WITHIN}${id}${spokenIn(found)[0] ?? HTTP_1}`;
}

/** Those who may answer, of several in order: nobody behind one that is always up. */
function endsInOrder(members: ReadonlyMap<string, readonly End[]>): End[] {
  const ends: End[] = [];
  for (const [name, memberEnds] of members) {
    ends.push(...memberEnds);
    if (name.startsWith(ANSWER) || name.startsWith(WITHIN)) break;
  }
  return ends;
}
