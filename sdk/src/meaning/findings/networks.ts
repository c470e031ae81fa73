import { oncePer } from "../../contract/core/once";
import type { Row } from "../exposure/rows";
import { code } from "../names";
import {
  beyond,
  isEveryone,
  isNobody,
  keyOf,
  listNetworks,
  type NetworkSet,
  networksText,
  wholeFamilies,
} from "../networks/networkSet";
import { isMuchWider } from "../networks/width";
import { shortHash } from "../values";
import { type FieldRules, listed, onAddress, type RuledDraft } from "./finding";
import { admitsAll } from "./sentences";

const networks = (row: Row) => row.networks;

/** Cache for the differences between two sets, because many addresses have the same ones. */
const differencesFrom = oncePer((was: NetworkSet) => oncePer((is: NetworkSet) => difference(was, is)));

const compared = ({ before, after }: { before: Row; after: Row }) =>
  differencesFrom(before.networks.value)(after.networks.value);

function difference(was: NetworkSet, is: NetworkSet) {
  const open = new Set(wholeFamilies(was));
  const [gained, lost] = [beyond(is, was), beyond(was, is)];
  return {
    opened: wholeFamilies(is).filter((family) => !open.has(family)),
    gained: isNobody(gained) ? undefined : networksText(gained),
    lost: isNobody(lost) ? undefined : networksText(lost),
    isMuchWider: isMuchWider(was, is),
    admitsNobody: isNobody(is),
    wasText: networksText(was),
    values: {
      before: listNetworks(was),
      after: listNetworks(is),
      meaning: [shortHash(keyOf(was)), shortHash(keyOf(is))],
    },
  };
}

/** Rules for admitted source addresses. If new ones are admitted, exactly one of the first two reports it. */
export const networkRules: FieldRules = {
  field: "ip_restriction",
  read: networks,
  evaluate(rows, { address }) {
    const { opened, gained, lost, values, isMuchWider: isMuch, admitsNobody, wasText } = compared(rows);
    const { unknown } = rows.after.networks;
    const wasAll = isEveryone(rows.before.networks.value);
    const draft = (report: Pick<RuledDraft, "rule" | "effect" | "severity" | "sentence">): RuledDraft =>
      onAddress(rows, networks, { ...values, ...report });
    const drafts: RuledDraft[] = [];
    if (opened.length > 0) {
      const before = rows.before.networks.unknown ? "not known" : wasText;
      const sentence = admitsAll(code(address), listed(opened), before);
      drafts.push(draft({ rule: "network-opened", effect: "opens", sentence }));
    } else if (gained !== undefined || (unknown && !wasAll)) {
      const sentence =
        gained === undefined
          ? `${code(address)} may admit other networks than before: they are not known yet.`
          : `${code(address)} now admits ${gained} as well.`;
      const severity = gained !== undefined && isMuch ? "high" : "medium";
      drafts.push(draft({ rule: "network-widened", effect: "opens", severity, sentence }));
    }
    if (lost === undefined && !(unknown && wasAll)) return drafts;
    const sentence = unknown
      ? `${code(address)} may no longer admit all that it admitted (before: ${wasText}): its networks are not known yet.`
      : admitsNobody
        ? `${code(address)} now admits nobody (before: ${wasText}).`
        : `${code(address)} no longer admits ${lost}.`;
    const narrowed = draft({ rule: "network-narrowed", effect: "closes", sentence });
    return [...drafts, unknown && admitsNobody ? { ...narrowed, after: null } : narrowed];
  },
};
