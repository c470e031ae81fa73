/** Connections to other servers: on the internet only, and bounded. Other rooms import from here only. */

export { DocumentReader, NoDocumentError } from "./documentReader";
export { publicOnly } from "./publicOnly";
