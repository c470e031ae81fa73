import { mark, type Rule } from "../core/marks";
import { endOf } from "../core/renewal";
import { secondsOf, timestampOf, wholeSeconds } from "./time";

const DAY = 24 * 60 * 60;

/** The validity of a certificate. The server fills in what is left out ({@link completeValidity}). */
export const validityFields = () => ({
  valid_after: mark(wholeSeconds().optional(), { immutable: true, serverDefault: true }).meta({
    description: "Start of the validity (RFC 3339, in whole seconds). Default: now. Set at creation only.",
  }),
  valid_until: mark(wholeSeconds().optional(), { immutable: true, serverDefault: true }).meta({
    description:
      "End of the validity (RFC 3339, in whole seconds). Default: 24 hours after its creation, or after `valid_after` if that is later. Set at creation only.",
  }),
});

interface Validity {
  readonly valid_after: string;
  readonly valid_until: string;
}

/** No server would accept a certificate that ends before it begins. */
export const endsAfterItBegins: Rule<Partial<Validity>> = function* ({ valid_after, valid_until }) {
  if (valid_after === undefined || valid_until === undefined) return;
  if (secondsOf(valid_until) <= secondsOf(valid_after))
    yield {
      path: ["valid_until"],
      message: `must be at least a second after \`valid_after\` (${valid_after})`,
    };
};

/** spec "SSH user certificate": by default, valid from its creation on for 24 hours. */
export function completeValidity(sent: Partial<Validity>, now: Date): Validity {
  const created = timestampOf(Math.floor(now.getTime() / 1000));
  const { valid_after = created, valid_until = endOf(valid_after, DAY, now) } = sent;
  return { valid_after, valid_until };
}
