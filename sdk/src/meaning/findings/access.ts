import { claimWords } from "../aspects/claims";
import { type Authority, certificateFacts } from "../aspects/clientCertificate";
import type { SignIn } from "../aspects/signIn";
import type { TokenCheck } from "../aspects/token";
import type { Row } from "../exposure/rows";
import { shortHash } from "../hash";
import type { Reading } from "../judgement/reading";
import type { RequiredClaims } from "../judgement/rules/claims";
import { code, nameOf, referenceName } from "../names";
import { canonical, inOrder } from "../values";
import {
  type AddressChange,
  type Context,
  type Draft,
  differs,
  listed,
  onAddress,
  type Rule,
} from "./finding";
import { isOnlyLoosened } from "./loosened";
import { noCertificate, noSignIn, noToken } from "./sentences";

type Both = { readonly before: Row; readonly after: Row };

/** A judge for addresses that exist before and after, if an aspect has changed. */
export function whereBoth(
  aspect: (row: Row) => Reading<unknown>,
  judge: (rows: Both, change: AddressChange, context: Context) => Draft[],
) {
  return (change: AddressChange, context: Context): Draft[] => {
    const { before, after } = change;
    return before && after && differs(aspect(before), aspect(after))
      ? judge({ before, after }, change, context)
      : [];
  };
}

const certificate = (row: Row) => row.clientCertificate;
const signIn = (row: Row) => row.signIn;
const token = (row: Row) => row.token;

const namesOf = (authorities: readonly Authority[] | null): string[] | null =>
  authorities
    ?.map(({ thing, missing }) => (thing ? nameOf(thing) : referenceName(missing ?? "")))
    .sort(inOrder) ?? null;

const quoted = (authorities: readonly Authority[], { names }: Context): string =>
  listed(
    authorities.map(({ thing, missing }) =>
      thing ? names.quote(thing) : code(referenceName(missing ?? "")),
    ),
  );

/** The content of a finding about a certificate, without its end. */
const trusted = (authorities: readonly Authority[] | null): unknown =>
  authorities
    ?.map(({ thing, certificate: text }) =>
      text.includes("BEGIN") ? shortHash(text) : thing && certificateFacts(thing).subject,
    )
    .sort();

const missingFrom = (some: readonly Authority[] | null, others: readonly Authority[] | null): Authority[] => {
  const present = new Set((others ?? []).map(({ certificate: text }) => text));
  return (some ?? []).filter(({ certificate: text }) => !present.has(text));
};

const sayAuthorities = ({ before, after }: Both) => ({
  before: namesOf(before.clientCertificate.value),
  after: namesOf(after.clientCertificate.value),
  meaning: [trusted(before.clientCertificate.value), trusted(after.clientCertificate.value)],
});

/** A judge for sign-in or tokens that were required before, and are not any more. */
const dropped = <T>(aspect: (row: Row) => Reading<T | null>, sentence: (address: string, was: T) => string) =>
  whereBoth(aspect, ({ before, after }, change) => {
    const [was, is] = [aspect(before), aspect(after)];
    if (was.value === null || (is.value !== null && !is.maybeOff)) return [];
    return onAddress(change, aspect, {
      sentence: sentence(change.address, was.value),
      before: was.value,
      after: null,
    });
  });

/** A judge for sign-in or tokens that are required for the first time, or in another way. */
const anew = <T extends object>(
  aspect: (row: Row) => Reading<T | null>,
  sentence: (address: string, was: T | null, is: T | null) => string,
) =>
  whereBoth(aspect, ({ before, after }, change) => {
    const [was, is] = [aspect(before), aspect(after)];
    if (was.value !== null && (is.value === null || is.maybeOff)) return []; // reported as dropped
    if (canonical(was.value) === canonical(is.value) && !is.unknown && !was.unknown) return [];
    if (isOnlyLoosened(was.value ?? {}, is.value ?? {}) && !is.unknown) return []; // claims-loosened says so
    return onAddress(change, aspect, {
      sentence: sentence(change.address, was.value, is.value),
      before: was.value,
      after: is.value,
      namesFields: was.value !== null && is.value !== null,
    });
  });

const withClaims = (claims: RequiredClaims = {}): string =>
  Object.keys(claims).length > 0 ? `, if ${listed(claimWords(claims))}` : "";
const signInWords = ({ issuer, client_id, claims }: SignIn): string =>
  `${code(issuer)} (client ${code(client_id)})${withClaims(claims)}`;
const tokenWords = ({ issuers, audiences, claims }: TokenCheck): string =>
  `issued by ${listed(issuers.map(code))} for ${listed(audiences.map(code))}${withClaims(claims)}`;

/** Rules for client certificates, sign-in and tokens. */
export const accessRules: readonly Rule<AddressChange>[] = [
  {
    rule: "client-certificate-dropped",
    severity: "high",
    judge: whereBoth(certificate, ({ before, after }, change) => {
      const [was, is] = [certificate(before), certificate(after)];
      if (was.value === null || (is.value !== null && !is.maybeOff)) return [];
      return onAddress(change, certificate, {
        sentence: noCertificate(code(change.address)),
        before: namesOf(was.value),
        after: null,
        meaning: [trusted(was.value), null],
      });
    }),
  },
  {
    rule: "sign-in-dropped",
    severity: "high",
    judge: dropped(signIn, (address, was) => noSignIn(code(address), signInWords(was))),
  },
  {
    rule: "token-dropped",
    severity: "high",
    judge: dropped(token, (address, was) => noToken(code(address), tokenWords(was))),
  },
  {
    rule: "authority-added",
    severity: "medium",
    judge: whereBoth(certificate, (rows, change, context) => {
      const [was, is] = [certificate(rows.before).value, certificate(rows.after).value];
      const { unknown, maybeOff } = certificate(rows.after);
      if (was !== null && maybeOff) return []; // reported as dropped
      if (is === null && !(unknown && was === null)) return [];
      const added = missingFrom(is, was);
      if (added.length === 0 && !unknown) return [];
      const who = added.length > 0 ? quoted(added, context) : "an authority that is not known yet";
      const sentence =
        was === null
          ? `${code(change.address)} now asks for a client certificate of ${who}; clients without one are refused.`
          : `${code(change.address)} now accepts client certificates of ${who}.`;
      return onAddress(change, certificate, { sentence, ...sayAuthorities(rows), namesFields: was !== null });
    }),
  },
  {
    rule: "authority-removed",
    severity: "medium",
    judge: whereBoth(certificate, (rows, change, context) => {
      const [was, is] = [certificate(rows.before).value, certificate(rows.after).value];
      if (is === null || certificate(rows.after).maybeOff) return [];
      const removed = missingFrom(was, is);
      if (removed.length > 0) {
        const sentence = `${code(change.address)} no longer accepts client certificates of ${quoted(removed, context)}: their holders are refused.`;
        return onAddress(change, certificate, {
          sentence,
          ...sayAuthorities(rows),
          namesFields: was !== null,
        });
      }
      if (was !== null || is.length > 0 || certificate(rows.after).unknown) return [];
      return onAddress(change, certificate, {
        sentence: `${code(change.address)} now accepts no client certificate at all: everybody is refused.`,
        ...sayAuthorities(rows),
      });
    }),
  },
  {
    rule: "sign-in-changed",
    severity: "medium",
    judge: anew(signIn, (address, was, is) => {
      if (is === null) return `${code(address)} may ask users to sign in: it is not known yet.`;
      if (was === null) return `${code(address)} now asks users to sign in with ${signInWords(is)}.`;
      return `${code(address)} now signs users in on other terms.`;
    }),
  },
  {
    rule: "token-changed",
    severity: "medium",
    judge: anew(token, (address, was, is) => {
      if (is === null) return `${code(address)} may ask for a token: it is not known yet.`;
      if (was === null) return `${code(address)} now asks for a token ${tokenWords(is)}.`;
      return `${code(address)} now accepts other tokens than before.`;
    }),
  },
];
