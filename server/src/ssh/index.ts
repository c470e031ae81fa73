/** Keys and certificates of OpenSSH. Other rooms import from here only. */

export { AuthorityKey, type KeyParameters } from "./authorityKey";
export { issueCertificate } from "./certificate";
