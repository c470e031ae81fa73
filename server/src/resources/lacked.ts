import { own } from "@tunnelplane/sdk/contract";
import type { Document } from "../documents";

/** The parts without which a closed object serves nothing; none where it is not closed. */
export const lackedBy = (document: Readonly<Document>): readonly string[] => {
  const lacked = own(document, "closed_without");
  return Array.isArray(lacked) ? lacked.map(String) : [];
};

/** The answered field that names the parts an object lacks; null where it lacks none. */
export const closedWithout = (parts: readonly string[]): Document => ({
  closed_without: parts.length > 0 ? [...new Set(parts)] : null,
});
