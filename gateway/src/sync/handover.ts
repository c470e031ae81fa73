import { wildcardsAbove } from "../envoy/hostports";
import type { Json } from "../envoy/json";

type Host = Json & { readonly name: string; readonly domains: readonly string[] };

/** The form that routes have for a while. */
interface Form {
  readonly routes: Json;
  readonly form: Json;
  /** In milliseconds; undefined until the listeners have taken the change. */
  readonly until: number | undefined;
}

/**
 * Hosts that are below a wildcard of one edge, and newly belong to another one. Those who connected to the
 * wildcard's edge before it was known get, for a while, the answers that they got until then: those of the
 * routes before, because with the new ones neither declaration would let them in.
 */
export class Handover {
  #routes: ReadonlyMap<string, Json> = new Map();
  #forms: ReadonlyMap<string, Form> = new Map();

  /** @param lasts how long it takes after the listeners have taken a change, in milliseconds */
  constructor(private readonly lasts: number) {}

  /** Routes in the form that they have until hosts have been handed over. */
  begin(routes: readonly Json[]): Json[] {
    const now = Date.now();
    const forms = routes.flatMap((one): Form[] => {
      const name = String(one.name);
      const before = this.#routes.get(name);
      if (!before) return [];
      if (before === one) {
        const known = this.#forms.get(name);
        return known?.routes === one && now < (known.until ?? now + 1) ? [known] : [];
      }
      const form = handingOver(one, before);
      return form ? [{ routes: one, form, until: undefined }] : [];
    });
    this.#forms = new Map(forms.map((one) => [String(one.routes.name), one]));
    return forms.map(({ form }) => form);
  }

  /** The listeners took a change, or it waits for an Envoy. */
  take(routes: readonly Json[]): void {
    const until = Date.now() + this.lasts;
    this.#routes = new Map(routes.map((one) => [String(one.name), one]));
    this.#forms = new Map(
      [...this.#forms].map(([name, one]) => [name, { ...one, until: one.until ?? until }]),
    );
  }
}

/** The last host of a configuration has the strangers. */
const hostsOf = ({ virtual_hosts: hosts }: Json) => {
  const all = hosts as readonly Host[];
  return { own: all.slice(0, -1), last: all.at(-1) as Host };
};

/** Routes that answer hosts which are new among the strangers as the routes before did; if there are any. */
function handingOver(routes: Json, before: Json): Json | undefined {
  const [{ own, last }, former] = [hostsOf(routes), hostsOf(before)];
  const known = new Set(former.last.domains);
  const answered = new Map(former.own.map((one) => [one.name, one]));
  const leaving = last.domains.flatMap((host) => {
    if (known.has(host)) return [];
    const was = [host, ...wildcardsAbove(host)].flatMap((one) => answered.get(one) ?? [])[0];
    return was ? [{ ...was, name: host, domains: [host] }] : [];
  });
  if (leaving.length === 0) return undefined;
  const gone = new Set(leaving.map(({ name }) => name));
  const others = { ...last, domains: last.domains.filter((host) => !gone.has(host)) };
  return { ...routes, virtual_hosts: [...own, ...leaving, others] };
}
