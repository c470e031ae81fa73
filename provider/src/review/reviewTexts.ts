import { isDeepStrictEqual } from "node:util";
import { counted, isObject, nameAndId, own } from "@tunnelplane/sdk/contract";
import {
  type AspectText,
  aspectTexts,
  beforeAndAfterText,
  checkTexts,
  decidedText,
  type Exposure,
  type FieldChange,
  type GuaranteeState,
  listedText,
  targetText,
} from "@tunnelplane/sdk/meaning";
import type { Report, ReviewedFinding } from "./report";

/** One aspect of an address, in words. */
interface Aspect {
  readonly name: string;
  readonly before: string;
  readonly after: string;
}

/** The words of a row, in the order of the table. */
const rowsOf = (exposure: Exposure): AspectText[] => [
  ...aspectTexts(exposure),
  { field: "goes_to", title: "Goes to", text: targetText(exposure.goes_to) },
  { field: "served_by", title: "Served by", text: servedText(exposure.served_by) },
];

/** The aspects of an address that differ; all of them if the address is new or removed. */
export function changedAspects(change: Report["addresses"][number]): Aspect[] {
  const { before, after } = change;
  const [was, is] = [before, after].map((exposure) => exposure && rowsOf(exposure).map(sayIn(exposure)));
  return (is ?? was ?? []).flatMap(({ title: name, field }, index): Aspect[] => {
    const [old, now] = [was?.[index]?.text, is?.[index]?.text];
    if (old !== now)
      return [{ name, before: before ? (old ?? "none") : "", after: after ? (now ?? "none") : "" }];
    const seen = before && after ? detailsOf(name, before[field], after[field]) : [];
    return seen.length > 0 ? seen : unseenIn(name, field, change);
  });
}

const sayIn =
  ({ unknown }: Exposure) =>
  ({ title, field, text }: AspectText) => ({
    title,
    field,
    text: unknown.includes(field) ? unsureText(text) : text,
  });

const unsureText = (text: string | null): string =>
  text === "not known" ? "not known yet" : `${text ?? "none"} (not all of it is known yet)`;

/** The differences in an aspect whose words are the same. */
function detailsOf(name: string, was: unknown, is: unknown, field?: string): Aspect[] {
  if (isDeepStrictEqual(was, is)) return [];
  if (!isObject(was) || !isObject(is))
    return [{ name, ...beforeAndAfterText({ before: was, after: is, field }) }];
  return [...new Set([...Object.keys(was), ...Object.keys(is)])].flatMap((key) =>
    detailsOf(`${name}: ${key.replaceAll("_", " ")}`, own(was, key) ?? null, own(is, key) ?? null, key),
  );
}

/** The differences in the declared fields behind an aspect that reads the same. */
const unseenIn = (
  name: string,
  field: keyof Exposure,
  { fields = [] }: Report["addresses"][number],
): Aspect[] =>
  fields
    .filter(({ aspect }) => aspect === field)
    .flatMap((aspectFields) =>
      aspectFields.fields.map((change) => ({
        name: `${name}: ${change.field} of ${change.name}`,
        ...beforeAndAfterText(change),
      })),
    );

/** The path of traffic: who may come, what is checked, and where it goes. */
export const pathOf = (exposure: Exposure): { who: string; checks: string[]; to: string } => ({
  who:
    aspectTexts(exposure)
      .map(sayIn(exposure))
      .find(({ field }) => field === "networks")?.text ?? "everyone",
  checks: exposure.tls.ends_at === "upstream" ? ["TLS ends upstream"] : checkTexts(exposure),
  to: targetText(exposure.goes_to),
});

const servedText = ({ credentials, others }: Exposure["served_by"]): string =>
  listedText([...credentials.map(({ name }) => name), ...(others > 0 ? [counted(others, "other")] : [])]) ||
  "nobody that is known";

/** Whether a guarantee holds: "broken: `GET app.example.com:443/admin` from 198.51.100.7: 200" */
export function stateText(state: GuaranteeState | null): string {
  if (state === null) return "not declared";
  const { covered, example, reason } = state;
  if (example) return `broken: ${example.sentence ?? decidedText(example.request, example.decision)}`;
  if (state.state === "unproved") return `not proved: ${reason ?? "not everything is known"}`;
  return covered === 0 ? "holds, and covers no address" : `holds at ${counted(covered, "address")}`;
}

/** The cause of a finding: the location in the program, or the object and its field. */
export function causeText({ cause, offStack, certain }: ReviewedFinding): {
  at: string;
  location: string;
  remarks: string[];
} {
  const { urn, id, name, property } = cause;
  // A resource of the program has its location there; for other objects, only the id says which one is meant.
  const object = urn === undefined && id ? nameAndId(name, id) : name;
  return {
    at: `${object}${property === undefined ? "" : `: ${property}`}`,
    location:
      cause.file === undefined ? "" : `${cause.file}${cause.line === undefined ? "" : `:${cause.line}`}`,
    remarks: [...(offStack ? ["reaches beyond the stack"] : []), ...(certain ? [] : ["not certain yet"])],
  };
}

/** The requests that the change lets in, and whether Envoy agrees, in one line. */
export const verdictText = ({ access, limits, tried }: Report): string =>
  [
    access.sentence,
    ...(limits.length > 0 ? ["Not all objects were seen."] : []),
    ...(tried ? [tried.sentence] : []),
  ].join(" ");

/** "2 high, 1 medium" */
export const countText = ({ counts: { high, medium, low } }: Report): string =>
  `${high} high, ${medium} medium, ${low} low`;

/** "1 create, 2 update" */
export function changeText({ changes }: Report): string {
  const counts = new Map<string, number>();
  for (const { op } of changes) counts.set(op, (counts.get(op) ?? 0) + 1);
  return [...counts].map(([op, count]) => `${count} ${op}`).join(", ") || "no changes";
}

/** The words for a change without findings. */
export const noticeText = ({ findings, unnoticed }: Report): string =>
  findings.length > 0
    ? ""
    : unnoticed
      ? "Callers and owners will not notice it."
      : "No rule finds an effect of it on callers and owners.";

/** Changes with fields that no finding names. */
export const otherChanges = ({ changes }: Report) =>
  changes.flatMap(({ fields, ...change }) => (fields ? [{ ...change, fields }] : []));

/** "`oidc.issuer` from `a` to `b`; `role` from `member` to `admin`" */
export const fieldText = (fields: readonly FieldChange[]): string =>
  fields
    .map((change) => {
      const { before, after } = beforeAndAfterText(change);
      return `\`${change.field}\` from ${before} to ${after}`;
    })
    .join("; ");

/**
 * The words about the hash of a report. It does not accept findings about secrets, because nobody can see
 * whether a value is the accepted one.
 */
export const acceptText = (findings: Report["findings"]): string =>
  findings.some(({ secret }) => secret)
    ? "To accept all of this but the findings about secrets"
    : "To accept all of this";
