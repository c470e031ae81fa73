import { own } from "@tunnelplane/sdk/contract";
import type { Document } from "../documents";

/** The parts without which a closed object serves nothing; none where it is not closed. */
export const lackedBy = (document: Readonly<Document>): readonly string[] => {
  const lacked = own(document, "closed_without");
  return Array.isArray(lacked) ? lacked.map(String) : [];
};

/** What an answer says of an object that serves nothing without these parts. */
export const closedWithout = (parts: readonly string[]): Document => ({
  closed_without: parts.length > 0 ? [...new Set(parts)] : null,
});
