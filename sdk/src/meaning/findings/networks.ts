import type { Row } from "../exposure/rows";
import { shortHash } from "../hash";
import { beyond, inWords, isNobody, keyOf, listNetworks, wholeFamilies } from "../networks/networkSet";
import { whereBoth } from "./access";
import { type AddressChange, code, listed, onAddress, type Rule } from "./finding";

const networks = (row: Row) => row.networks;

function compared({ before, after }: { before: Row; after: Row }) {
  const [was, is] = [before.networks.value, after.networks.value];
  const open = new Set(wholeFamilies(was));
  return {
    was,
    is,
    opened: wholeFamilies(is).filter((family) => !open.has(family)),
    gained: beyond(is, was),
    lost: beyond(was, is),
    said: {
      before: listNetworks(was),
      after: listNetworks(is),
      meaning: [shortHash(keyOf(was)), shortHash(keyOf(is))],
    },
  };
}

/** Which source addresses are admitted. An address that is admitted after and was not before is told by exactly one of the first two. */
export const networkRules: readonly Rule<AddressChange>[] = [
  {
    rule: "network-opened",
    severity: "high",
    judge: whereBoth(networks, (rows, change) => {
      const { was, opened, said } = compared(rows);
      if (opened.length === 0) return [];
      const sentence = `${code(change.address)} now admits every ${listed(opened)} address (before: ${inWords(was)}).`;
      return onAddress(change, networks, { sentence, ...said });
    }),
  },
  {
    rule: "network-widened",
    severity: "medium",
    judge: whereBoth(networks, (rows, change) => {
      const { opened, gained, said } = compared(rows);
      if (opened.length > 0) return [];
      if (!isNobody(gained)) {
        return onAddress(change, networks, { sentence: `${code(change.address)} now admits ${inWords(gained)} as well.`, ...said });
      }
      // What is not known yet may be any network.
      if (!rows.after.networks.unknown) return [];
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
      const { is, lost, said } = compared(rows);
      if (isNobody(lost)) return [];
      const sentence = isNobody(is)
        ? `${code(change.address)} now admits nobody (before: ${inWords(rows.before.networks.value)}).`
        : `${code(change.address)} no longer admits ${inWords(lost)}.`;
      return onAddress(change, networks, { sentence, ...said });
    }),
  },
];
