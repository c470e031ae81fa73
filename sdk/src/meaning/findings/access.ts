import { own } from "../../contract/core/narrow";
import type { ModuleName } from "../../contract/registry";
import { claimsApart } from "../access/claims";
import { claimTexts } from "../aspects/claims";
import { type Authority, certificateFacts } from "../aspects/clientCertificate";
import type { SignIn } from "../aspects/signIn";
import type { TokenCheck } from "../aspects/token";
import type { Row } from "../exposure/rows";
import { moduleOf, type Reading } from "../judgement/reading";
import type { RequiredClaims } from "../judgement/rules/claims";
import { TooLarge } from "../languages";
import { code, nameOf, referenceName } from "../names";
import { canonical, holdsUnknown, inOrder, shortHash } from "../values";
import { type Context, type FieldRules, listed, onAddress, type Rows, type RuledDraft } from "./finding";
import type { RuleName } from "./rules";
import { noCertificate, noSignIn, noToken } from "./sentences";

const certificate = (row: Row) => row.clientCertificate;

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

const beyond = (
  authorities: readonly Authority[] | null,
  known: readonly Authority[] | null,
): Authority[] => {
  const present = new Set((known ?? []).map(({ certificate: text }) => text));
  return (authorities ?? []).filter(({ certificate: text }) => !present.has(text));
};

const certificateRules: FieldRules = {
  field: "mutual_tls",
  read: certificate,
  evaluate(rows, { address }, context) {
    const was = certificate(rows.before).value;
    const { value: is, unknown, maybeOff } = certificate(rows.after);
    const draft = (report: Pick<RuledDraft, "rule" | "effect" | "sentence" | "namesFields">): RuledDraft =>
      onAddress(rows, certificate, {
        before: namesOf(was),
        after: namesOf(is),
        meaning: [trusted(was), trusted(is)],
        ...report,
      });
    if (was !== null && (is === null || maybeOff)) {
      const gone = { after: null, meaning: [trusted(was), null] };
      const sentence = noCertificate(code(address));
      return [{ ...draft({ rule: "client-certificate-dropped", effect: "opens", sentence }), ...gone }];
    }
    const [added, removed] = [beyond(is, was), maybeOff ? [] : beyond(was, is)];
    const drafts: RuledDraft[] = [];
    if (added.length > 0 || unknown) {
      const who = added.length > 0 ? quoted(added, context) : "an authority that is not known yet";
      const sentence =
        was === null
          ? `${code(address)} now asks for a client certificate of ${who}; clients without one are refused.`
          : `${code(address)} now accepts client certificates of ${who}.`;
      const effect = was === null ? "closes" : "opens";
      drafts.push(draft({ rule: "authority-added", effect, sentence, namesFields: was !== null }));
    }
    if (removed.length > 0) {
      const sentence = `${code(address)} no longer accepts client certificates of ${quoted(removed, context)}: their holders are refused.`;
      drafts.push(draft({ rule: "authority-removed", effect: "closes", sentence, namesFields: true }));
    } else if (was === null && is?.length === 0 && !unknown) {
      const sentence = `${code(address)} now accepts no client certificate at all: everybody is refused.`;
      drafts.push(draft({ rule: "authority-removed", effect: "closes", sentence }));
    }
    return drafts;
  },
};

interface WithClaims {
  readonly claims?: RequiredClaims;
}

/** A check of what callers have to show, and what is said of its changes. */
interface Required<T extends WithClaims> {
  readonly field: ModuleName;
  readonly read: (row: Row) => Reading<T | null>;
  readonly dropped: RuleName;
  readonly changed: RuleName;
  /** Who passes it: "users". */
  readonly who: string;
  readonly noMore: (address: string, was: T) => string;
  readonly maybe: string;
  readonly asks: (is: T) => string;
  readonly otherwise: string;
}

function rulesFor<T extends WithClaims>(check: Required<T>): FieldRules {
  const { field, read } = check;
  return {
    field,
    read,
    evaluate(rows, { address }) {
      const [was, is] = [read(rows.before), read(rows.after)];
      if (was.value !== null && (is.value === null || is.maybeOff)) {
        const sentence = check.noMore(code(address), was.value);
        const report = { rule: check.dropped, effect: "opens", sentence } as const;
        return [onAddress(rows, read, { ...report, before: was.value, after: null })];
      }
      const loosened = is.value ? loosenedClaims(check, rows, was.value?.claims, is.value.claims) : [];
      if (canonical(was.value) === canonical(is.value) && !is.unknown && !was.unknown) return loosened;
      if (isOnlyLoosened(was.value ?? {}, is.value ?? {}) && !is.unknown) return loosened;
      const now =
        is.value === null ? check.maybe : was.value === null ? check.asks(is.value) : check.otherwise;
      const changed = onAddress(rows, read, {
        rule: check.changed,
        effect: "either",
        sentence: `${code(address)} ${now}`,
        before: was.value,
        after: is.value,
        namesFields: was.value !== null && is.value !== null,
      });
      return [...loosened, changed];
    },
  };
}

/** Claims of tokens or users, where fewer or wider ones are asked for now. */
function loosenedClaims<T extends WithClaims>(
  { field, read, who }: Required<T>,
  rows: Rows,
  was: RequiredClaims | undefined,
  is: RequiredClaims = {},
): RuledDraft[] {
  if (!was) return [];
  const isUnknown = holdsUnknown(moduleOf(rows.after.holder, field).fields.require_claims);
  const isLooser = isLoosened({ claims: was }, Object.keys(is).length > 0 ? { claims: is } : {});
  if (!isLooser && !isUnknown) return [];
  const changes = claimChanges(was, is);
  const which = isUnknown || changes.length === 0 ? "which ones is not known yet" : listed(changes);
  const now = Object.keys(is).length > 0 ? is : null;
  return [
    onAddress(rows, read, {
      rule: "claims-loosened",
      effect: "opens",
      sentence: `${code(rows.after.address)} ${isLooser === true ? "now admits" : "may admit"} ${who} whose claims it refused: ${which}.`,
      before: was,
      after: now,
      meaning: [field, was, now],
      ...(isLooser !== true && { certain: false }),
    }),
  ];
}

/** Whether claims are newly admitted; "maybe" if that is too large to decide. */
function isLoosened(was: WithClaims, is: WithClaims): boolean | "maybe" {
  if (canonical(was.claims) === canonical(is.claims) || !was.claims) return false;
  try {
    return claimsApart([was.claims, is.claims]).some(({ by }) => by.includes(1) && !by.includes(0));
  } catch (error) {
    if (error instanceof TooLarge) return "maybe";
    throw error;
  }
}

/** Whether two checks differ only in claims, and nobody is newly refused because of them. */
const isOnlyLoosened = (was: WithClaims, is: WithClaims): boolean =>
  canonical({ ...was, claims: undefined }) === canonical({ ...is, claims: undefined }) &&
  isLoosened(was, is) === true &&
  isLoosened(is, was) === false;

/** Each claim whose texts differ: "`groups` may be `ops` or `dev` (before: `ops`)". */
function claimChanges(was: RequiredClaims, is: RequiredClaims): string[] {
  const names = [...new Set([...Object.keys(was), ...Object.keys(is)])].sort(inOrder);
  return names.flatMap((name) => {
    const [old, now] = [was, is].map((claims) =>
      Object.hasOwn(claims, name)
        ? listed((own(claims, name) ?? []).map(code)).replace(/ and /g, " or ")
        : undefined,
    );
    if (old === now) return [];
    if (now === undefined) return [`${code(name)} may be anything (before: ${old})`];
    return [`${code(name)} has to be ${now} (before: ${old ?? "anything"})`];
  });
}

const withClaims = (claims: RequiredClaims = {}): string =>
  Object.keys(claims).length > 0 ? `, if ${listed(claimTexts(claims))}` : "";
const signInText = ({ issuer, client_id, claims }: SignIn): string =>
  `${code(issuer)} (client ${code(client_id)})${withClaims(claims)}`;
const tokenText = ({ issuers, audiences, claims }: TokenCheck): string =>
  `issued by ${listed(issuers.map(code))} for ${listed(audiences.map(code))}${withClaims(claims)}`;

/** Rules for client certificates, sign-in and tokens. */
export const accessRules: readonly FieldRules[] = [
  certificateRules,
  rulesFor({
    field: "oidc",
    read: (row) => row.signIn,
    dropped: "sign-in-dropped",
    changed: "sign-in-changed",
    who: "users",
    noMore: (address, was) => noSignIn(address, signInText(was)),
    maybe: "may ask users to sign in: it is not known yet.",
    asks: (is) => `now asks users to sign in with ${signInText(is)}.`,
    otherwise: "now signs users in on other terms.",
  }),
  rulesFor({
    field: "jwt_validation",
    read: (row) => row.token,
    dropped: "token-dropped",
    changed: "token-changed",
    who: "tokens",
    noMore: (address, was) => noToken(address, tokenText(was)),
    maybe: "may ask for a token: it is not known yet.",
    asks: (is) => `now asks for a token ${tokenText(is)}.`,
    otherwise: "now accepts other tokens than before.",
  }),
];
