import { own } from "../../contract/core/narrow";
import type { ModuleName } from "../../contract/registry";
import type { Row } from "../exposure/rows";
import { moduleOf, type Reading } from "../judgement/reading";
import type { RequiredClaims } from "../judgement/rules/claims";
import { code } from "../names";
import { holdsUnknown, inOrder } from "../values";
import { whereBoth } from "./access";
import { type AddressChange, listed, onAddress, type Rule } from "./finding";
import { isLoosened, type WithClaims } from "./loosened";

/** Each claim whose texts differ: "`groups` may be `ops` or `dev` (before: `ops`)". */
function changesOf(was: RequiredClaims, is: RequiredClaims): string[] {
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

/** A judge for claims of tokens or users, if fewer or wider ones are asked for now. */
const loosened = (aspect: (row: Row) => Reading<WithClaims | null>, module: ModuleName, who: string) =>
  whereBoth(aspect, ({ before, after }, change) => {
    const [was, is] = [aspect(before), aspect(after)];
    if (!was.value?.claims || is.value === null || is.maybeOff) return []; // if dropped, reported so
    const isUnknown = holdsUnknown(moduleOf(after.holder, module).fields.require_claims);
    const found = isLoosened(was.value, is.value);
    if (!found && !isUnknown) return [];
    const changes = changesOf(was.value.claims, is.value.claims ?? {});
    const words = isUnknown || changes.length === 0 ? "which ones is not known yet" : listed(changes);
    return onAddress(change, aspect, {
      sentence: `${code(change.address)} ${found === true ? "now admits" : "may admit"} ${who} whose claims it refused: ${words}.`,
      before: was.value.claims,
      after: is.value.claims ?? null,
      meaning: [module, was.value.claims, is.value.claims ?? null],
      ...(found !== true && { certain: false }),
    });
  });

const ofTokens = loosened((row) => row.token, "jwt_validation", "tokens");
const ofUsers = loosened((row) => row.signIn, "oidc", "users");

/** A rule for the claims of tokens and of users who sign in. */
export const claimRules: readonly Rule<AddressChange>[] = [
  {
    rule: "claims-loosened",
    severity: "high",
    judge: (change, context) => [...ofTokens(change, context), ...ofUsers(change, context)],
  },
];
