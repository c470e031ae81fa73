import type { Answers } from "@tunnelplane/sdk";
import type { WorldObject } from "@tunnelplane/sdk/meaning";
import type { Kysely } from "kysely";
import { sharedProjects } from "../auth";
import { type Database, partsOf, pipelined } from "../storage";
import { storedObject } from "./objects";
import { everyRestriction, type ObjectRow, rowsByIds, rulesOfPolicies } from "./rows";

/** The limit on rules of each 200 policies of restrictions. */
const MAX_RULES = 20_000;

/**
 * The enforced restrictions of all edges, with their policies and rules. Those of projects that the viewer
 * does not see become one without an id or a name: it tells which networks are admitted, and nothing else.
 */
export async function restrictionsIn(
  db: Kysely<Database>,
  { project, knowsRestrictions }: { readonly project: string; readonly knowsRestrictions: boolean },
): Promise<WorldObject[]> {
  const enforced = (await everyRestriction(db, {})).filter((row) => {
    const { type, enforced } = restrictionIn(row);
    return enforced && type === "endpoints";
  });
  if (enforced.length === 0) return [];
  const seen = new Set([project, ...(await sharedProjects(db))]);
  const isKnown = ({ project_id: of }: ObjectRow) => knowsRestrictions || seen.has(of);
  const known = enforced.filter(isKnown);
  const hidden = enforced.filter((row) => !isKnown(row));
  const policies = (await pipelined(partsOf(policiesOf(known)).map((ids) => rowsByIds(db, { ids })))).flat();
  const objects = [...known, ...policies, ...(await rulesOf(db, policiesOf(known)))].map(storedObject);
  return hidden.length === 0 ? objects : [...objects, ...(await anonymous(db, policiesOf(hidden)))];
}

type Restriction = Answers["ip_restriction"];
type Rule = Answers["ip_policy_rule"];

const restrictionIn = ({ document }: ObjectRow): Restriction => JSON.parse(document);

const policiesOf = (rows: readonly ObjectRow[]): string[] => [
  ...new Set(rows.flatMap((row) => restrictionIn(row).ip_policies.map(({ id }) => id))),
];

const rulesOf = async (db: Kysely<Database>, policies: readonly string[]): Promise<ObjectRow[]> =>
  (await pipelined(partsOf(policies).map((ids) => rulesOfPolicies(db, { ids, limit: MAX_RULES })))).flat();

/** What stands for all restrictions that a viewer does not see. References in it are numbers. */
async function anonymous(db: Kysely<Database>, policies: readonly string[]): Promise<WorldObject[]> {
  const numbers = new Map(policies.map((id, index) => [id, `of the account: ${index}`]));
  const rules = (await rulesOf(db, policies)).map((row): Rule => JSON.parse(row.document));
  return [
    {
      kind: "ip_restriction",
      urn: "of the account",
      name: "of the account",
      fields: {
        type: "endpoints",
        enforced: true,
        ip_policies: [...numbers.values()].map((id) => ({ id })),
      },
    },
    ...[...numbers.values()].map((urn) => ({ kind: "ip_policy", urn, name: "of the account", fields: {} })),
    ...rules.map(({ action, cidr, expires_at, ip_policy }, index) => ({
      kind: "ip_policy_rule",
      urn: `of the account: rule ${index}`,
      fields: { action, cidr, expires_at, ip_policy: { id: numbers.get(ip_policy.id) } },
    })),
  ];
}
