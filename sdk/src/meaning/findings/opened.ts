import { OWN_PATHS } from "../../contract/formats/http";
import type { ModuleName } from "../../contract/registry";
import type { Example, OpenedPiece } from "../access/changes";
import { exampleWords } from "../access/words";
import { ASPECTS } from "../aspects";
import type { Aspect } from "../aspects/aspect";
import type { Row } from "../exposure/rows";
import { hostportOf } from "../judgement/address";
import { code } from "../names";
import { asks, causeOfAddress } from "./addresses";
import { changedAt, changedCredential } from "./causes";
import { type AddressChange, type Context, type Draft, type Judged, listed } from "./finding";
import { isUnservable, type Requests, type Taken } from "./requests";
import { doesElse } from "./traffic";

/** Rules for effects that only requests show, and no rule of a field. */
export const requestRules = [
  { rule: "opened", severity: "high" },
  { rule: "callers-refused", severity: "medium" },
] as const;

/** The rules about a check, by its field. */
function rulesOf(field: string | undefined): NonNullable<Aspect["rules"]> {
  const aspect: (Pick<Aspect, "rules"> & { readonly of: object }) | undefined =
    field !== undefined && Object.hasOwn(ASPECTS, field) ? ASPECTS[field as ModuleName] : undefined;
  return aspect?.rules ?? { opening: [], closing: [] };
}

/** The rules that say only that more callers are let in. */
const ADMITTING = new Set(
  Object.keys(ASPECTS)
    .flatMap((field) => rulesOf(field).opening)
    .filter((rule) => !Object.keys(ASPECTS).some((field) => rulesOf(field).closing.includes(rule))),
);

const OF_ACCESS = new Set(
  Object.keys(ASPECTS).flatMap((field) => [...rulesOf(field).opening, ...rulesOf(field).closing]),
);

/** Whether it is a path of the gateway's own, where routes sign users in. */
const isOwnPath = ({ request: { path = "/" } }: Example): boolean => path.startsWith(OWN_PATHS);

/**
 * Findings of the rules of fields, with examples, and findings about effects that no rule of a field covers.
 */
export function withRequests(
  found: readonly Judged[],
  change: AddressChange,
  context: Context,
): readonly Judged[] {
  const requests = context.requests.at(change.address);
  if (found.length === 0 && requests.areas.length === 0) return found;
  return new Telling(found, change, context, requests).all;
}

class Telling {
  readonly #found: Judged[];

  constructor(
    found: readonly Judged[],
    private readonly change: AddressChange,
    private readonly context: Context,
    private readonly requests: Requests,
  ) {
    this.#found = found.map((one) => (OF_ACCESS.has(one.rule) ? { proved: false, ...one } : one));
    for (const taken of requests.opened) this.#tellOpened(taken);
    for (const taken of requests.closed) this.#tellClosed(taken);
    for (const taken of requests.moved) this.#tellMoved(taken);
  }

  get all(): readonly Judged[] {
    const { areas, isProved } = this.requests;
    if (!isProved || areas.length === 0) return this.#found;
    const isClosed = areas.every(
      ({ changes: { ordinary } }) => ordinary !== undefined && isUnservable(ordinary.after),
    );
    // No gateway serves the address, so that it lets nobody in, whatever it asks for.
    if (isClosed) return this.#found.filter(({ rule }) => !ADMITTING.has(rule));
    return areas.some(({ changes }) => changes.opened.length > 0) ? this.#found : this.#withDenials;
  }

  /** Where nothing opens, other actions deny what one denied. */
  get #withDenials(): readonly Judged[] {
    const isTold = this.#found.some(({ rule }) => rule === "actions-changed");
    return this.#found.flatMap((one): Judged[] => {
      if (one.rule !== "deny-dropped") return [one];
      const { before, after, address } = this.change;
      const said = doesElse(address, before?.actions.value ?? [], after?.actions.value ?? []);
      return isTold
        ? []
        : [
            {
              ...one,
              rule: "actions-changed",
              severity: "medium",
              ...said,
              proved: true,
            },
          ];
    });
  }

  #tellOpened(taken: Taken<OpenedPiece>): void {
    const { was, is, change } = taken;
    if (was === null && !this.change.before) return; // found as a new address
    const { by } = change.example.before;
    const fields = [by?.field ?? "", ...(isOwnPath(change.example) ? ["oidc"] : [])];
    const rules = was === is ? fields.flatMap((field) => rulesOf(field).opening) : [];
    const explaining = this.#explain(rules, change.example);
    if (explaining.length === 0) {
      this.#find("opened", "high", taken, (less, _, words) =>
        less ? `asks for ${listed(less.map((one) => `no ${one}`))}` : `lets in what was refused: ${words}`,
      );
      return;
    }
    if (change.sameCallers || !(change.everyone || change.wide)) return;
    if (this.#found.some(({ rule, severity }) => severity === "high" && OF_ACCESS.has(rule))) return;
    for (const [index, one] of this.#found.entries())
      if (explaining.includes(one.rule)) this.#found[index] = { ...one, severity: "high" };
  }

  #tellClosed(taken: Taken): void {
    const { was, is, change } = taken;
    const { before, after } = change.example;
    const isReported = this.#found.some(({ rule }) => rule === "address-removed");
    if ((is === null && isReported) || isOwnPath(change.example)) return;
    if (isUnservable(after)) {
      if (!isReported) this.#addStopped(taken);
      return;
    }
    const rules = was === is ? rulesOf(after.by?.field).closing : [];
    if (this.#explain(rules, change.example).length > 0 || before.outcome !== "answered") return;
    this.#find("callers-refused", "medium", taken, (_, more, words) =>
      more ? `asks for ${listed(more)}` : `refuses what was answered: ${words}`,
    );
  }

  #tellMoved(taken: Taken): void {
    const { was, is, change } = taken;
    const { before, after } = change.example;
    this.#explain(["traffic-moved", "traffic-stopped", "actions-changed"], change.example);
    if (before.outcome === "answered" && after.outcome === "unserved") this.#addStopped(taken);
    else if (was !== is)
      this.#find("traffic-moved", "medium", taken, (_, __, words) => `gives another answer: ${words}`);
  }

  /** Adds an example to findings of some rules. @returns the rules that were found */
  #explain(rules: readonly string[], example: Example): string[] {
    const { isProved } = this.requests;
    const found: string[] = [];
    for (const [index, one] of this.#found.entries()) {
      if (!rules.includes(one.rule)) continue;
      found.push(one.rule);
      if (!one.example) this.#found[index] = { ...one, example, proved: isProved };
    }
    return found;
  }

  /**
   * @param how the address that takes the requests differs: it asks for less, for more, or for something else
   */
  #find(
    rule: string,
    severity: Judged["severity"],
    taken: Taken,
    how: (less: string[] | undefined, more: string[] | undefined, words: string) => string,
  ): void {
    if (this.#isFound(rule, taken)) return;
    const { was, is, change } = taken;
    const rows = { was: this.#rowOf("before", was), is: this.#rowOf("after", is) };
    const [asked, asking] = [rows.was, rows.is].map((row) => (row ? asks(row) : []));
    const beyond = (some: string[] = [], others: string[] = []) => {
      const more = was === is ? [] : some.filter((one) => !others.includes(one));
      return more.length > 0 ? more : undefined;
    };
    const words = exampleWords(change.example, this.context.names.of);
    const does = how(withoutArticles(beyond(asked, asking)), beyond(asking, asked), words);
    const of = (row: Row | undefined) => row && { served_by: row.address, asks: asks(row) };
    this.#add(rule, severity, taken, {
      sentence: `${this.#takes(was, is)} ${does}${this.#besides(is)}.`,
      before: of(rows.was) ?? null,
      after: of(rows.is) ?? null,
    });
  }

  /** "`a:443/admin` is now served by the route `/`, which" */
  #takes(was: string | null, is: string | null): string {
    const { address, after } = this.change;
    if (is === null || was === null || was === is) return `${code(address)} now`;
    if (!after) return `${code(address)} is now served by ${takerOf(is, was)}, which`;
    return `${code(address)} takes requests that ${takerOf(was, is)} served before, and`;
  }

  /** Of a beginning that is gone: its whole path, if another route than for the rest takes that. */
  #besides(is: string | null): string {
    const { address, after } = this.change;
    const whole = partsOf(address).join(" = ");
    const takesWhole = is !== whole && this.requests.areas.some((area) => area.is === whole);
    return !after && takesWhole ? `, but for what ${code(whole)} takes` : "";
  }

  #addStopped(taken: Taken): void {
    if (this.#isFound("traffic-stopped", taken)) return;
    const { example } = taken.change;
    const reason = example.after.steps.at(-1)?.sentence ?? "";
    const takes = this.#takes(taken.was, taken.is).replace(/ now$/, " no longer");
    const has = takes.endsWith(" no longer") ? "has anything" : "has nothing";
    this.#add("traffic-stopped", "high", taken, {
      sentence: `${takes} ${has} to answer it: ${reason.charAt(0).toLowerCase()}${reason.slice(1)}`,
      before: example.before.outcome,
      after: reason,
    });
  }

  #add(
    rule: string,
    severity: Judged["severity"],
    { is, change: { example } }: Taken,
    said: Pick<Draft, "sentence" | "before" | "after">,
  ): void {
    const { before, after } = this.change;
    const row = after ?? before;
    if (!row) return;
    // Requests of an address that is gone are those of the address that takes them.
    const { holder, address } = this.#rowOf("after", is) ?? row;
    this.#found.push({
      rule,
      severity,
      about: holder,
      address,
      cause: this.#causeOf(example) ?? row.place,
      ...said,
      meaning: [said, example.before.outcome, example.after.outcome],
      example,
      proved: this.requests.isProved,
    });
  }

  #causeOf({ before: was, after: is }: Example): Draft["cause"] | undefined {
    const { before, after } = this.change;
    const { context } = this;
    if (before && !after) return causeOfAddress(before, context.after);
    if (after && !before) return causeOfAddress(after, context.before);
    const isNobody = is.outcome === "unserved" && is.by?.field === "backend";
    return (
      (isNobody ? changedCredential(was.goes_to, context) : undefined) ?? changedAt(this.change, context)
    );
  }

  #isFound(rule: string, { is }: Taken): boolean {
    const address = this.#rowOf("after", is)?.address ?? this.change.address;
    return this.#found.some((one) => one.rule === rule && one.address === address);
  }

  #rowOf(side: "before" | "after", address: string | null): Row | undefined {
    return address === null ? undefined : this.context.rows[side].get(address);
  }
}

/** "the route `/`" on the same hostport, "`*.example.com:443`" on another. */
function takerOf(address: string, other: string): string {
  const [hostport = "", path = ""] = partsOf(address);
  return path !== "" && hostport === partsOf(other)[0] ? `the route ${code(path)}` : code(address);
}

function partsOf(address: string): [hostport: string, path: string] {
  const hostport = hostportOf(address);
  return [hostport, address.slice(hostport.length).trim()];
}

/** "client certificate" of "a client certificate". */
const withoutArticles = (asked: string[] | undefined): string[] | undefined =>
  asked?.map((one) => one.replace(/^an? |^signing in$/, (text) => (text === "signing in" ? "sign-in" : "")));
