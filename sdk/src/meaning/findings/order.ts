import { exampleText } from "../access/requestText";
import type { FieldChange } from "../changes/fieldText";
import { type Names, nameOf } from "../names";
import { canonical, inOrder, shortHash } from "../values";
import type { Finding, RuledDraft } from "./finding";
import { type Severity, severityOf } from "./rules";

const SEVERITIES: readonly Severity[] = ["high", "medium", "low"];

/** A draft with the fields on which it depends. */
interface FinishedDraft extends RuledDraft {
  readonly fields?: readonly FieldChange[];
  readonly digest: string;
}

/** Findings of drafts, the most severe first, each with its hash. */
export function inOrderOf(drafts: readonly FinishedDraft[], names: Names): Finding[] {
  const findings = drafts.map((draft) => ({ finding: findingOf(draft, names), key: keyOf(draft) }));
  findings.sort(
    (a, b) =>
      SEVERITIES.indexOf(a.finding.severity) - SEVERITIES.indexOf(b.finding.severity) ||
      inOrder(a.finding.address ?? "", b.finding.address ?? "") ||
      inOrder(a.finding.rule, b.finding.rule) ||
      inOrder(a.finding.name, b.finding.name) ||
      inOrder(a.key, b.key),
  );
  // Equal findings about objects with the same name get different hashes, so that accepting one does not
  // accept the others.
  const met = new Map<string, number>();
  return findings.map(({ finding, key }) => {
    const count = (met.get(key) ?? 0) + 1;
    met.set(key, count);
    return { ...finding, hash: shortHash(count === 1 ? key : `${key} ${count}`) };
  });
}

/** Ids of the server. They are in findings if an object's name is not known. */
const IDS = /\b[a-z]+_[0-9A-Za-z]{27}\b/g;

/** The content of a finding, without ids: every value that changed. */
const keyOf = ({
  rule,
  address,
  about,
  before,
  after,
  meaning,
  certain = true,
  digest,
}: FinishedDraft): string =>
  `${canonical([
    rule,
    address,
    about.kind,
    nameOf(about),
    meaning === undefined ? [before, after] : meaning,
    certain,
  ]).replace(IDS, "an id")} ${digest}`;

function findingOf(
  {
    rule,
    severity = severityOf(rule),
    address,
    about,
    sentence,
    before,
    after,
    cause,
    certain = true,
    ...rest
  }: FinishedDraft,
  names: Names,
): Finding {
  const { example, proved, fields, secret } = rest;
  const { object } = cause;
  const { urn, id, stack } = object;
  const name =
    object === about.object
      ? nameOf(about)
      : nameOf({ kind: cause.kind, identity: "", object, fields: object.fields, modules: new Map() });
  return {
    hash: "",
    rule,
    severity,
    ...(address !== undefined && { address }),
    kind: about.kind,
    name: nameOf(about),
    ...(about.object.id !== undefined && names.isShared(about) && { id: about.object.id }),
    sentence,
    ...(before !== undefined && { before }),
    ...(after !== undefined && { after }),
    ...(fields && { fields }),
    ...(secret !== undefined && { secret: true }),
    cause: {
      ...(urn !== undefined && { urn }),
      ...(id !== undefined && { id }),
      kind: cause.kind,
      name,
      ...(cause.property !== undefined && { property: cause.property }),
    },
    offStack: stack !== about.object.stack,
    certain,
    ...(example !== undefined && {
      example: { ...example, sentence: exampleText(example, names.of) },
    }),
    ...(proved !== undefined && { proved }),
  };
}
