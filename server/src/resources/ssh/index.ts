/** Keys and certificates of OpenSSH. Other rooms import from here only. */

export { AuthorityKey } from "./authorityKey";
export { issueCertificate } from "./certificate";
