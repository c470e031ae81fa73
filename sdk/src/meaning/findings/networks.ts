import { oncePer } from "../../contract/core/once";
import type { Row } from "../exposure/rows";
import { shortHash } from "../hash";
import { code } from "../names";
import {
  beyond,
  inWords,
  isEveryone,
  isNobody,
  keyOf,
  listNetworks,
  type NetworkSet,
  wholeFamilies,
} from "../networks/networkSet";
import { isMuchWider } from "../networks/width";
import { whereBoth } from "./access";
import { type AddressChange, listed, onAddress, type Rule } from "./finding";
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
    gained: isNobody(gained) ? undefined : inWords(gained),
    lost: isNobody(lost) ? undefined : inWords(lost),
    isMuchWider: isMuchWider(was, is),
    admitsNobody: isNobody(is),
    wasInWords: inWords(was),
    said: {
      before: listNetworks(was),
      after: listNetworks(is),
      meaning: [shortHash(keyOf(was)), shortHash(keyOf(is))],
    },
  };
}

/**
 * Rules for admitted source addresses. If new ones are admitted, exactly one of the first two rules reports
 * it.
 */
export const networkRules: readonly Rule<AddressChange>[] = [
  {
    rule: "network-opened",
    severity: "high",
    judge: whereBoth(networks, (rows, change) => {
      const { wasInWords, opened, said } = compared(rows);
      if (opened.length === 0) return [];
      const isKnown = !rows.before.networks.unknown;
      const sentence = admitsAll(code(change.address), listed(opened), isKnown ? wasInWords : "not known");
      return onAddress(change, networks, { sentence, ...said });
    }),
  },
  {
    rule: "network-widened",
    severity: "medium",
    judge: whereBoth(networks, (rows, change) => {
      const { opened, gained, said, isMuchWider: isMuch } = compared(rows);
      if (opened.length > 0) return [];
      if (gained !== undefined) {
        const sentence = `${code(change.address)} now admits ${gained} as well.`;
        const found = onAddress(change, networks, { sentence, ...said });
        return isMuch ? found.map((one) => ({ ...one, severity: "high" })) : found;
      }
      // A network that is not known yet may be any network.
      if (!rows.after.networks.unknown || isEveryone(rows.before.networks.value)) return [];
      return onAddress(change, networks, {
        sentence: `${code(change.address)} may admit other networks than before: they are not known yet.`,
        ...said,
      });
    }),
  },
  {
    rule: "network-narrowed",
    severity: "medium",
    judge: whereBoth(networks, (rows, change) => {
      const { admitsNobody, wasInWords, lost, said } = compared(rows);
      const isUnknown = rows.after.networks.unknown;
      if (lost === undefined && !(isUnknown && isEveryone(rows.before.networks.value))) return [];
      if (isUnknown) {
        const sentence = `${code(change.address)} may no longer admit all that it admitted (before: ${wasInWords}): its networks are not known yet.`;
        return onAddress(change, networks, { sentence, ...said, ...(admitsNobody && { after: null }) });
      }
      const sentence = admitsNobody
        ? `${code(change.address)} now admits nobody (before: ${wasInWords}).`
        : `${code(change.address)} no longer admits ${lost}.`;
      return onAddress(change, networks, { sentence, ...said });
    }),
  },
];
