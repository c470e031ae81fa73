/** How an object is composed, printed and read. Other rooms import from here only. */

export { type Answer, fitting, JOINT, type Page, type PageSize } from "./answer";
export { type Document, Documents } from "./documents";
export { bytesOf, embeddedListOf, leavesList, wholeOf, withoutList } from "./embedded";
