/** Composes, prints and reads the documents of objects. Other rooms import from here only. */

export {
  type Answer,
  DOCUMENT_SEPARATOR,
  documentsOfPage,
  fitting,
  type LogPageRequest,
  type Page,
  type PageSize,
  pageOf,
} from "./answer";
export { asOfNow, type Document, Documents, endedAsOf, isEndedIn, textIn } from "./documents";
export { bytesOf, embeddedListOf, wholeOf } from "./embedded";
export {
  type Naming,
  nameField,
  namesOf,
  noteRenames,
  RENAMED,
  setNames,
  storedName,
  withNames,
} from "./resourceNames";
