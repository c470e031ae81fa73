import {
  coveringKeys,
  DEFAULT_PROJECT,
  isFor,
  overlaps,
  portOf,
  reservedKey,
} from "@tunnelplane/sdk/contract";
import { type Kysely, sql } from "kysely";
import { type Caller, isAccountAdmin, projectNames } from "../auth";
import type { Document } from "../documents";
import { isChangeOf, type ObjectChange } from "../journal";
import { type Database, effect, inParts, isListed, lockName, statement, Transaction } from "../storage";
import { RequestError, refuseFaults } from "../util";
import type { NameSettings } from "./nameSettings";
import { openedPorts, refuseTakenPorts, repeatKeys } from "./ports";
import { findById } from "./rows";
import { Existing, type HolderRow } from "./rules";

/** Of the lock on names. */
const NAMES = "names";

/** A name that an object takes, and where. */
interface Claim {
  readonly name: string;
  readonly path: readonly PropertyKey[];
  /** Of a hostport. */
  readonly port?: number;
}

/**
 * Keeps names for the projects that reserved them: hostports, entries of ACLs and names of SSH hosts are
 * checked against reserved domains, and the other way round.
 *
 * Ports of TCP edges are kept as names are.
 */
export async function refuseForeignNames(
  db: Kysely<Database>,
  caller: Caller,
  changes: readonly ObjectChange[],
  { requireReservedDomains: isRequired = false, tcpPorts }: NameSettings,
): Promise<void> {
  const opened = openedPorts(changes);
  const claims = changes.flatMap((change) => {
    const made = newClaims(change);
    return made.length > 0 ? [{ change, made }] : [];
  });
  const domains = changes.flatMap((change) =>
    isChangeOf(change, "reserved_domain") && change.after ? [{ change, after: change.after }] : [],
  );
  // Those who take names do so side by side; one who reserves a domain waits for them, and they for it. Once,
  // before all checks: two that waited for each other would never end.
  if (domains.some(({ change }) => !change.before) || opened.some(({ isTcp }) => isTcp))
    await lockName(db, NAMES);
  else if (claims.length > 0) await lockName(db, NAMES, "shared");
  await refuseTakenPorts(db, changes, opened, tcpPorts);
  for (const { change, made } of claims) await refuseReserved(db, change, made, isRequired);
  for (const { change, after } of domains) {
    if (!change.before) await refuseToReserve(db, caller, after.domain, change.storedAs.project);
    const { certificate } = after;
    if (certificate && certificate.id !== change.before?.certificate?.id)
      await refuseOtherNames(db, after.domain, certificate.id);
  }
}

/** The names that an object takes which it did not have before. */
function newClaims({ definition: { kind }, before, after }: ObjectChange): Claim[] {
  const fields = after ? NAMED[kind] : undefined;
  if (!fields || !after) return [];
  const had = new Set(before && fields(before).map(({ name }) => name));
  return fields(after).filter(({ name }) => !had.has(name));
}

function textsIn(document: Document, field: string): string[] {
  const list = document[field];
  return Array.isArray(list) ? list.map(String) : [];
}

const hostports = (document: Document): Claim[] =>
  textsIn(document, "hostports").map((hostport, index) => ({
    name: hostport.slice(0, hostport.lastIndexOf(":")),
    path: ["hostports", index],
    port: portOf(hostport),
  }));

const binds = (document: Document): Claim[] =>
  textsIn(document, "acl").flatMap((rule, index) => {
    const host = /^bind:([^=:]+)(:\d+)?$/.exec(rule)?.[1];
    return host === undefined ? [] : [{ name: host, path: ["acl", index] }];
  });

/** The names that objects of a kind take. */
const NAMED: Readonly<Record<string, (document: Document) => Claim[]>> = {
  tls_edge: hostports,
  tcp_edge: hostports,
  https_edge: hostports,
  tunnel_credential: binds,
  ssh_credential: binds,
  ssh_host_certificate: (document) =>
    textsIn(document, "principals").map((name, index) => ({ name, path: ["principals", index] })),
};

async function refuseReserved(
  db: Kysely<Database>,
  { storedAs: { project }, definition: { kind } }: ObjectChange,
  claims: readonly Claim[],
  isRequired: boolean,
): Promise<void> {
  const names = claims.map(({ name }) => name);
  if (!isRequired && db instanceof Transaction && db.facts.isOptimistic)
    return breakIfReserved(db, names, project);
  if (!isRequired && (await anyReserved(db, {})).length === 0) return;
  const reserved = await Reserved.around(db, names);
  for (const { name, path, port } of claims) {
    if (await reserved.isForeign(name, project))
      refuseFaults([
        { error: "taken", path, message: "is reserved by another project; choose another name" },
      ]);
    if (!isRequired || port === undefined || reserved.over(name).length > 0) continue;
    // An address that the project reserved has a name of the server.
    if (kind !== "tcp_edge" || !(await isReservedPort(db, port, project)))
      refuseFaults([
        {
          error: "invalid_field",
          path,
          message: `is of no reserved domain of this project, which this server requires: reserve ${name} first (/reserved_domains)`,
        },
      ]);
  }
}

async function isReservedPort(db: Kysely<Database>, port: number, project: string): Promise<boolean> {
  const [holder] = await new Existing(db).holdersOf([{ scope: "reserved_port", key: String(port) }]);
  return holder?.project_id === project;
}

/** The commit fails if another project reserved one of the names. */
async function breakIfReserved(
  transaction: Transaction,
  names: readonly string[],
  project: string,
): Promise<void> {
  const keys = [...new Set(names.flatMap(coveringKeys))];
  await inParts(keys, (values) => repeatCovering(transaction, { values, project }));
  for (const name of names)
    if (name.startsWith("*.")) await repeatBelow(transaction, { ...below(name), project });
}

const repeatCovering = effect<{ values: string; project: string }>((db, parameter) =>
  repeatKeys(
    db,
    reservedKeys(db)
      .where(isListed(db, "value", parameter("values")))
      .where("project_id", "!=", parameter("project")),
  ),
);

const repeatBelow = effect<{ from: string; to: string; project: string }>((db, parameter) =>
  repeatKeys(db, foreignKeysBelow(db, parameter)),
);

/** The keys of reserved domains, with their objects. */
const reservedKeys = (db: Kysely<Database>) =>
  db
    .selectFrom("unique_key")
    .innerJoin("resource", "resource.id", "unique_key.resource_id")
    .select(["scope", "value", "resource_id"])
    .where("scope", "=", "reserved_domain");

const anyReserved = statement<object, { value: string }>((db) =>
  db.selectFrom("unique_key").select("value").where("scope", "=", "reserved_domain").limit(1),
);

/** The reserved domains over some names, read at once. */
class Reserved {
  private constructor(
    private readonly db: Kysely<Database>,
    private readonly holders: ReadonlyMap<string, HolderRow>,
  ) {}

  static async around(db: Kysely<Database>, names: readonly string[]): Promise<Reserved> {
    const keys = [...new Set(names.flatMap(coveringKeys))];
    const rows = await new Existing(db).holdersOf(keys.map((key) => ({ scope: "reserved_domain", key })));
    return new Reserved(db, new Map(rows.map((row) => [row.value, row])));
  }

  /** Those that cover all of a name. */
  over(name: string): HolderRow[] {
    return coveringKeys(name).flatMap((key) => this.holders.get(key) ?? []);
  }

  /** Whether another project reserved a part of what a name stands for. */
  async isForeign(name: string, project: string): Promise<boolean> {
    if (this.over(name).some((holder) => holder.project_id !== project)) return true;
    return name.startsWith("*.") && (await foreignBelow(this.db, { ...below(name), project })).length > 0;
  }
}

/** The keys of all names below a wildcard: `com.example.` and more. "/" follows "." in ASCII. */
const below = (wildcard: string): { from: string; to: string } => {
  const parent = reservedKey(wildcard).slice(0, -"*".length);
  return { from: parent, to: `${parent.slice(0, -1)}/` };
};

type Below = "from" | "to" | "project";

/** The keys of other projects in a range. */
const foreignKeysBelow = (db: Kysely<Database>, parameter: (name: Below) => string) =>
  reservedKeys(db)
    .where("value", ">=", parameter("from"))
    .where("value", "<", parameter("to"))
    .where("project_id", "!=", parameter("project"));

const foreignBelow = statement<{ from: string; to: string; project: string }, { value: string }>(
  (db, parameter) => foreignKeysBelow(db, parameter).limit(1),
);

async function refuseToReserve(
  db: Kysely<Database>,
  caller: Caller,
  domain: string,
  project: string,
): Promise<void> {
  if ((await projectNames(db)).size === 1 && project === DEFAULT_PROJECT.id) return;
  if (!isAccountAdmin(caller))
    throw new RequestError(
      "forbidden",
      "Only admins of the account reserve domains, because there is more than one project; ask one of them",
    );
  const reserved = await Reserved.around(db, [domain]);
  if ((await reserved.isForeign(domain, project)) || (await isUsedElsewhere(db, domain, project)))
    refuseFaults([
      {
        error: "taken",
        path: ["domain"],
        message:
          "overlaps a domain, a hostport, an ACL or the name of an SSH host of another project; remove that there first, or reserve another domain",
      },
    ]);
}

/**
 * Looks through all objects of other projects that mention the domain. Domains are reserved seldom, and an
 * index of all names would cost each write of an edge or a credential.
 */
async function isUsedElsewhere(db: Kysely<Database>, domain: string, project: string): Promise<boolean> {
  const text = domain.replace(/^\*\./, "").toLowerCase();
  const rows = await mentioning(db, {
    text: `%${text}%`,
    wildcard: "%*.%",
    project,
    limit: MAX_EXAMINED + 1,
  });
  if (rows.length > MAX_EXAMINED)
    throw new RequestError(
      "taken",
      `More than ${MAX_EXAMINED.toLocaleString("en-US")} objects of other projects may use ${domain}, too many to look at; reserve it before other projects grow, or in a project that holds them`,
      { field: "domain" },
    );
  return rows.some(({ kind, document }) =>
    NAMED[kind]?.(JSON.parse(document)).some(({ name }) => overlaps(name, domain)),
  );
}

/** Their documents are read into memory. */
const MAX_EXAMINED = 10_000;

const NAMED_KINDS = Object.keys(NAMED);

/** Objects of other projects that mention a text, or have a wildcard, which may cover it from above. */
const mentioning = statement<
  { text: string; wildcard: string; project: string; limit: number },
  { kind: string; document: string }
>((db, parameter) =>
  db
    .selectFrom("resource")
    .select(["kind", "document"])
    .where("kind", "in", NAMED_KINDS)
    .where("project_id", "!=", parameter("project"))
    .where(({ eb, or }) =>
      or([
        eb(sql<string>`lower(document)`, "like", parameter("text")),
        eb("document", "like", parameter("wildcard")),
      ]),
    )
    .limit(parameter("limit")),
);

async function refuseOtherNames(db: Kysely<Database>, domain: string, certificate: string): Promise<void> {
  const [row] = await findById(db, { id: certificate });
  if (!row) return; // references were checked
  const { subject_alternative_names: names }: { subject_alternative_names: { dns_names: string[] } } =
    JSON.parse(row.document);
  if (isFor(names.dns_names, domain)) return;
  const listed = names.dns_names.slice(0, 5).join(", ") || "no name";
  refuseFaults([
    {
      error: "invalid_field",
      path: ["certificate_id"],
      message: `is for ${listed}, and not for ${domain}; upload a certificate whose subject alternative names have it`,
    },
  ]);
}
