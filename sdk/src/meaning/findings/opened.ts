import { OWN_PATHS } from "../../contract/formats/http";
import type { ModuleName } from "../../contract/registry";
import type { Example, OpenedPiece } from "../access/changes";
import { exampleText } from "../access/requestText";
import type { Row } from "../exposure/rows";
import { hostportOf } from "../judgement/address";
import { code } from "../names";
import { accessRules } from "./access";
import { addressRules, asks, causeOfAddress } from "./addresses";
import { changedAt, changedCredential } from "./causes";
import {
  type AddressChange,
  type Context,
  type Draft,
  differs,
  type FieldRules,
  listed,
  type RuledDraft,
} from "./finding";
import { networkRules } from "./networks";
import { isUnservable, type Requests, type Taken } from "./requests";
import { type RuleName, severityOf } from "./rules";
import { doesElse, trafficRules } from "./traffic";

/** Why the requests of an address are let in, refused, or go elsewhere: by the field that has changed. */
const FIELDS: readonly FieldRules[] = [...accessRules, networkRules, ...trafficRules];

/** A draft, and the field that it is about; none for a draft about the address. */
interface FieldDraft extends RuledDraft {
  readonly ofField?: ModuleName;
}

/** Whether it is a path of the gateway's own, where routes sign users in. */
const isOwnPath = ({ request: { path = "/" } }: Example): boolean => path.startsWith(OWN_PATHS);

/**
 * What a change means for the requests of an address. Requests tell whether something opens; the fields that
 * changed tell why. What no field explains is a finding of its own.
 */
export function explained(change: AddressChange, context: Context): readonly RuledDraft[] {
  const drafts = [
    ...ofFields(change, context),
    ...addressRules.flatMap(({ rule, evaluate }) =>
      evaluate(change, context).map((draft) => ({ ...draft, rule })),
    ),
  ];
  const requests = context.requests.at(change.address);
  if (drafts.length === 0 && requests.areas.length === 0) return drafts;
  return new Explanation(drafts, change, context, requests).all;
}

function ofFields(change: AddressChange, context: Context): FieldDraft[] {
  const { before, after } = change;
  if (!before || !after) return [];
  return FIELDS.filter(({ read }) => differs(read(before), read(after))).flatMap(({ field, evaluate }) =>
    evaluate({ before, after }, change, context).map((draft) => ({ ...draft, ofField: field })),
  );
}

class Explanation {
  readonly #drafts: FieldDraft[];

  constructor(
    drafts: readonly FieldDraft[],
    private readonly change: AddressChange,
    private readonly context: Context,
    private readonly requests: Requests,
  ) {
    this.#drafts = drafts.map((draft) => (draft.effect ? { proved: false, ...draft } : draft));
    for (const taken of requests.opened) this.#explainOpened(taken);
    for (const taken of requests.closed) this.#explainClosed(taken);
    for (const taken of requests.moved) this.#explainMoved(taken);
  }

  get all(): readonly RuledDraft[] {
    const { areas, isProved } = this.requests;
    if (areas.length === 0) return this.#drafts;
    if (!isProved) return this.#drafts.map(asIfOpened);
    const isClosed = areas.every(
      ({ changes: { ordinary } }) => ordinary !== undefined && isUnservable(ordinary.after),
    );
    // No gateway serves the address, so that it lets nobody in, whatever it asks for.
    if (isClosed) return this.#drafts.filter(({ effect }) => effect !== "opens");
    return areas.some(({ changes }) => changes.opened.length > 0) ? this.#drafts : this.#openingNothing;
  }

  /** Where nothing opens, other checks refuse what one refused. */
  get #openingNothing(): readonly RuledDraft[] {
    const isReported = this.#drafts.some(({ rule }) => rule === "actions-changed");
    const { before, after, address } = this.change;
    return this.#drafts.flatMap((draft): RuledDraft[] => {
      if (draft.effect === "opens" && severityIn(draft) === "high") return [{ ...draft, severity: "medium" }];
      if (draft.rule !== "deny-dropped") return [draft];
      const report = doesElse(address, before?.actions.value ?? [], after?.actions.value ?? []);
      return isReported ? [] : [{ ...draft, rule: "actions-changed", ...report, proved: true }];
    });
  }

  #explainOpened(taken: Taken<OpenedPiece>): void {
    const { was, is, change } = taken;
    if (was === null && !this.change.before) return; // found as a new address
    const { by } = change.example.before;
    const fields = [by?.field, isOwnPath(change.example) ? "oidc" : undefined];
    const explaining = this.#explain(
      ({ effect, ofField }) =>
        was === is && effect !== "closes" && ofField !== undefined && fields.includes(ofField),
      change.example,
    );
    if (explaining.length === 0) {
      this.#find("opened", taken, (less, _, text) =>
        less ? `asks for ${listed(less.map((check) => `no ${check}`))}` : `lets in what was refused: ${text}`,
      );
      return;
    }
    if (change.sameCallers || !(change.everyone || change.wide)) return;
    if (this.#drafts.some((draft) => draft.effect && severityIn(draft) === "high")) return;
    for (const index of explaining)
      this.#drafts[index] = { ...(this.#drafts[index] as FieldDraft), severity: "high" };
  }

  #explainClosed(taken: Taken): void {
    const { was, is, change } = taken;
    const { before, after } = change.example;
    const isReported = this.#drafts.some(({ rule }) => rule === "address-removed");
    if ((is === null && isReported) || isOwnPath(change.example)) return;
    if (isUnservable(after)) {
      if (!isReported) this.#addStopped(taken);
      return;
    }
    const explaining = this.#explain(
      ({ effect, ofField }) => was === is && effect !== "opens" && ofField === after.by?.field,
      change.example,
    );
    if (explaining.length > 0 || before.outcome !== "answered") return;
    this.#find("callers-refused", taken, (_, more, text) =>
      more ? `asks for ${listed(more)}` : `refuses what was answered: ${text}`,
    );
  }

  #explainMoved(taken: Taken): void {
    const { was, is, change } = taken;
    const { before, after } = change.example;
    const rules: readonly RuleName[] = ["traffic-moved", "traffic-stopped", "actions-changed"];
    this.#explain(({ rule }) => rules.includes(rule), change.example);
    if (before.outcome === "answered" && after.outcome === "unserved") this.#addStopped(taken);
    else if (was !== is) this.#find("traffic-moved", taken, (_, __, text) => `gives another answer: ${text}`);
  }

  /** Adds an example to the drafts that explain it. @returns their indexes */
  #explain(explains: (draft: FieldDraft) => boolean, example: Example): number[] {
    const { isProved } = this.requests;
    return [...this.#drafts.entries()].flatMap(([index, draft]) => {
      if (!explains(draft)) return [];
      if (!draft.example) this.#drafts[index] = { ...draft, example, proved: isProved };
      return [index];
    });
  }

  /**
   * @param how the address that takes the requests differs: it asks for less, for more, or for something else
   */
  #find(
    rule: RuleName,
    taken: Taken,
    how: (less: string[] | undefined, more: string[] | undefined, text: string) => string,
  ): void {
    if (this.#isFound(rule, taken)) return;
    const { was, is, change } = taken;
    const rows = { was: this.#rowOf("before", was), is: this.#rowOf("after", is) };
    const [asked, asking] = [rows.was, rows.is].map((row) => (row ? asks(row) : []));
    const beyond = (checks: string[] = [], known: string[] = []) => {
      const more = was === is ? [] : checks.filter((check) => !known.includes(check));
      return more.length > 0 ? more : undefined;
    };
    const text = exampleText(change.example, this.context.names.of);
    const does = how(withoutArticles(beyond(asked, asking)), beyond(asking, asked), text);
    const of = (row: Row | undefined) => row && { served_by: row.address, asks: asks(row) };
    this.#add(rule, taken, {
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
    this.#add("traffic-stopped", taken, {
      sentence: `${takes} ${has} to answer it: ${reason.charAt(0).toLowerCase()}${reason.slice(1)}`,
      before: example.before.outcome,
      after: reason,
    });
  }

  #add(
    rule: RuleName,
    { is, change: { example } }: Taken,
    report: Pick<Draft, "sentence" | "before" | "after">,
  ): void {
    const { before, after } = this.change;
    const row = after ?? before;
    if (!row) return;
    // Requests of an address that is gone are those of the address that takes them.
    const { holder, address } = this.#rowOf("after", is) ?? row;
    this.#drafts.push({
      rule,
      about: holder,
      address,
      cause: this.#causeOf(example) ?? row.source,
      ...report,
      meaning: [report, example.before.outcome, example.after.outcome],
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

  #isFound(rule: RuleName, { is }: Taken): boolean {
    const address = this.#rowOf("after", is)?.address ?? this.change.address;
    return this.#drafts.some((draft) => draft.rule === rule && draft.address === address);
  }

  #rowOf(side: "before" | "after", address: string | null): Row | undefined {
    return address === null ? undefined : this.context.rows[side].get(address);
  }
}

/** Where not every request was decided, a change counts as if it let callers in, and is not certain. */
const asIfOpened = (draft: FieldDraft): FieldDraft =>
  draft.effect && draft.effect !== "closes" && !draft.example ? { ...draft, certain: false } : draft;

const severityIn = ({ rule, severity = severityOf(rule) }: RuledDraft): string => severity;

/** "the route `/`" on the same hostport, "`*.example.com:443`" on another. */
function takerOf(address: string, reference: string): string {
  const [hostport = "", path = ""] = partsOf(address);
  return path !== "" && hostport === partsOf(reference)[0] ? `the route ${code(path)}` : code(address);
}

function partsOf(address: string): [hostport: string, path: string] {
  const hostport = hostportOf(address);
  return [hostport, address.slice(hostport.length).trim()];
}

/** "client certificate" of "a client certificate". */
const withoutArticles = (asked: string[] | undefined): string[] | undefined =>
  asked?.map((check) =>
    check.replace(/^an? |^signing in$/, (text) => (text === "signing in" ? "sign-in" : "")),
  );
