import { entriesOf } from "../../contract/core/narrow";
import { beyond, isNobody } from "../networks/networkSet";
import type { Fields } from "../values";
import { coversHost, type Guarantee, readGuarantee } from "./guarantee";

/** Whether a guarantee may allow what it did not allow before. One whose fields are not known yet may. */
export function isWeakened(before: Fields, after: Fields): boolean {
  const [was, is] = [readGuarantee(before), readGuarantee(after)];
  if (!was || !is) return true;
  return is.expect !== was.expect || (was.isEnforced && !is.isEnforced) || !coversAll(is, was);
}

/** Whether one guarantee covers each request that another one covers. */
const coversAll = (guarantee: Guarantee, reference: Guarantee): boolean =>
  reference.addresses.every((old) =>
    guarantee.addresses.some(
      (now) =>
        coversHost(now.host, old.host) &&
        (now.port === undefined || now.port === old.port) &&
        old.prefix.startsWith(now.prefix),
    ),
  ) &&
  (guarantee.methods.length === 0 ||
    (reference.methods.length > 0 &&
      reference.methods.every((method) => guarantee.methods.includes(method)))) &&
  isNobody(beyond(reference.from, guarantee.from)) &&
  entriesOf(guarantee.carried).every(
    ([name, carried]) => carried === "any" || carried === reference.carried[name],
  );
