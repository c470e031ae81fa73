import { durationSeconds, secondsOf } from "../../contract/formats/time";
import { differencesOf, type ObjectChange } from "../changes/differences";
import type { ModelObject } from "../model";
import { code } from "../names";
import { fieldNamed, holdsUnknown, textIn, textsIn } from "../values";
import { laterEnd } from "./ends";
import { type Context, isReplaced, listed, onObject, type Rule } from "./finding";

export const SSH_CERTIFICATES = ["ssh_user_certificate", "ssh_host_certificate"];

const DAY_S = 86_400;
const USUAL_S = DAY_S;

/** Lengths that are counted from the time of a review may differ by this factor, and count as equal. */
const SLACK = 1.1;

interface Validity {
  readonly seconds: number;
  /** Whether its beginning is known, and not taken to be the time of the review. */
  readonly exact: boolean;
}

/** How long a certificate is valid; undefined if that is not known. */
function validityOf(thing: ModelObject, now: Date | undefined): Validity | undefined {
  const length: unknown = fieldNamed(thing.fields, "valid_for");
  const { valid_after, valid_until } = thing.fields;
  if (holdsUnknown([length, valid_after, valid_until])) return undefined;
  const [declared, begin, end] = [textIn(length), textIn(valid_after), textIn(valid_until)];
  if (declared !== undefined) return { seconds: durationSeconds(declared), exact: true };
  if (end === undefined) return { seconds: USUAL_S, exact: true };
  if (begin !== undefined) return { seconds: secondsOf(end) - secondsOf(begin), exact: true };
  return now && { seconds: secondsOf(end) - now.getTime() / 1000, exact: false };
}

const lengthText = ({ seconds, exact }: Validity): string => {
  const days = seconds / DAY_S;
  const length = days >= 2 ? `${Math.round(days * 10) / 10} days` : `${Math.round(seconds / 360) / 10} hours`;
  return exact ? length : `about ${length}`;
};

const isLonger = (was: Validity, is: Validity): boolean =>
  was.exact && is.exact ? is.seconds > was.seconds : is.seconds > was.seconds * SLACK;

/** Whether the end or the length of the validity is declared differently. */
const isValidOtherwise = (change: ObjectChange, context: Context): boolean =>
  isReplaced(change) ||
  differencesOf(change, context).some(({ field }) =>
    ["valid_for", "valid_after", "valid_until"].includes(field),
  );

const declaredValidity = ({ fields }: ModelObject): unknown =>
  fieldNamed(fields, "valid_for") ?? fields.valid_until ?? null;

/** Rules about the principals and the validity of SSH certificates. */
export const certificateRules: readonly Rule<ObjectChange>[] = [
  {
    rule: "principal-added",
    evaluate: ({ before, after }, { names }) => {
      if (!after || !SSH_CERTIFICATES.includes(after.kind)) return [];
      const isUser = after.kind === "ssh_user_certificate";
      const [was, is] = [before ? textsIn(before.fields.principals) : [], textsIn(after.fields.principals)];
      const unknown = holdsUnknown(after.fields.principals);
      // A certificate that named nobody was for everybody.
      if (before && was.length === 0 && !holdsUnknown(before.fields.principals)) return [];
      const isOpen = is.length === 0 && !unknown;
      if (isOpen && isUser) return []; // reported as ssh-certificate-any-user
      const added = is.filter((name) => !was.includes(name) && (before || name === ROOT));
      if (added.length === 0 && !(before && (isOpen || unknown))) return [];
      const who = isOpen
        ? "every host"
        : added.length > 0
          ? listed(added.map(code))
          : "others, not known yet";
      const may = isUser ? "lets its holder log in as" : "is for";
      const earlier = before ? ` (before: ${listed(was.map(code))})` : "";
      const title = isUser ? "SSH certificate" : "SSH host certificate";
      return [
        onObject(after, "principals", {
          sentence: `The ${before ? "" : "new "}${title} ${names.quote(after)} ${before ? "now " : ""}${may} ${who}${earlier}.`,
          ...(isUser && added.includes(ROOT) && { severity: "high" as const }),
          before: before ? was : null,
          after: is,
          certain: added.length > 0 || isOpen,
        }),
      ];
    },
  },
  {
    rule: "validity-extended",
    evaluate: (change, context) => {
      const { before, after } = change;
      if (!before || !after || !SSH_CERTIFICATES.includes(after.kind) || !isValidOtherwise(change, context))
        return laterEnd(change, context);
      const [was, is] = [validityOf(before, context.now), validityOf(after, context.now)];
      if (!was || (is && !isLonger(was, is)) || (!is && !context.now)) return [];
      const length = is ? lengthText(is) : "a time that is not known yet";
      const property = fieldNamed(after.fields, "valid_for") == null ? "valid_until" : "valid_for";
      return [
        onObject(after, property, {
          sentence: `The SSH certificate ${context.names.quote(after)} is valid for ${length} (before: ${lengthText(was)}).`,
          before: declaredValidity(before),
          after: declaredValidity(after),
          certain: is !== undefined,
        }),
      ];
    },
  },
];

const ROOT = "root";
