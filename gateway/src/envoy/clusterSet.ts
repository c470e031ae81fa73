import { present } from "@tunnelplane/sdk/contract";
import { type Breaker, type ClusterTarget, checkedName, clusterOf, inOrderOf, within } from "./clusters";
import { shortHash } from "./hostports";
import type { Json } from "./json";
import { SPOKEN } from "./speech";

/** Clusters, each once, and the listeners inside of Envoy that some of them send to. */
export class ClusterSet {
  readonly #targets = new Map<string, ClusterTarget>();
  /** Clusters that others are in, in order. */
  readonly #orders = new Map<string, readonly string[]>();
  readonly #listeners = new Map<string, Json>();
  readonly #checked = new Set<string>();
  /** Of clusters that are not asked while too many requests fail. */
  readonly #breakers = new Map<string, Breaker>();

  get clusters(): Json[] {
    return [
      ...[...this.#targets].map(([name, target]) =>
        clusterOf(name, target, this.#checked.has(name), this.#breakers.get(name)),
      ),
      ...[...this.#orders].map(([name, order]) => inOrderOf(name, order)),
    ];
  }

  /** Listeners inside of Envoy, which clusters send to. */
  get listeners(): Json[] {
    return [...this.#listeners.values()];
  }

  /** Whether all of some clusters get requests by HTTP/2; `mixed` if only some do. Answers take either. */
  speech(names: readonly string[]): "http1" | "http2" | "mixed" {
    const all = new Set(names.flatMap((name) => this.#speechesOf(name)));
    const [one = "http1"] = all;
    return all.size > 1 ? "mixed" : one;
  }

  #speechesOf(name: string): readonly ("http1" | "http2")[] {
    const order = this.#orders.get(name);
    if (order) return order.flatMap((member) => this.#speechesOf(member));
    const target = this.#targets.get(name);
    return target?.answers ? [] : [target?.speech === "http2" ? "http2" : "http1"];
  }

  /** Whether it leads to agents, who are asked for their health at a place of their own. */
  hasHealth(name: string): boolean {
    return (this.#orders.get(name) ?? [name]).some((member) => this.#targets.get(member)?.health);
  }

  /** @returns the cluster's own name: one for each way in which it speaks */
  add(name: string, target: ClusterTarget): string {
    const own = `${name}${SPOKEN[target.speech]}`;
    this.#targets.set(own, target);
    return own;
  }

  /** The first of some clusters that is up. */
  addOrder(id: string, order: readonly string[]): string {
    const speaks = order.map((name) => this.#targets.get(name)?.speech ?? "http1");
    // Where protocols differ by the request, the same backends are in another order of clusters.
    const name = speaks.every((speech) => speech === "http1") ? id : `${id} ${shortHash(order.join())}`;
    this.#orders.set(
      name,
      order.map((member) => this.#check(member)),
    );
    return name;
  }

  /** The same cluster, or order of clusters, by another name. */
  rename(name: string, other: string): string {
    this.#orders.set(other, this.#orders.get(name) ?? [name]);
    return other;
  }

  /** A cluster that sends to a filter inside of Envoy. */
  addWithin(
    name: string,
    filter: Json,
    { speech, answers }: Pick<ClusterTarget, "speech" | "answers">,
  ): string {
    const own = `${name}${SPOKEN[speech]}`;
    const { listener, address } = within(own, filter);
    this.#listeners.set(own, listener);
    return this.add(name, { addresses: [address], speech, answers });
  }

  /** The same cluster with health checks. What is within Envoy is always up. */
  #check(name: string): string {
    if (this.#listeners.has(name)) return name;
    const checked = checkedName(name);
    this.#targets.set(checked, present(this.#targets.get(name)));
    this.#checked.add(checked);
    return checked;
  }

  /** The same cluster for one route, with a circuit breaker. */
  guard(name: string, route: string, breaker: Breaker): string {
    const own = `${name} of ${route}`;
    const order = this.#orders.get(name);
    if (order)
      this.#orders.set(
        own,
        order.map((member) => this.guard(member, route, breaker)),
      );
    else {
      this.#targets.set(own, present(this.#targets.get(name)));
      if (this.#checked.has(name)) this.#checked.add(own);
      this.#breakers.set(own, breaker);
    }
    return own;
  }
}
