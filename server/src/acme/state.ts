import type { Answers } from "@tunnelplane/sdk";
import { definitionOf } from "@tunnelplane/sdk/contract";
import type { ObjectChange } from "../journal";
import { amendByServer, requestOfServer, type ServerContext, Transactions } from "../resources";
import { readSecret, sealKept } from "../secrets";
import type { AcmeOrderRow, Transaction } from "../storage";
import type { AcmeSettings } from "./acmeSettings";
import type { Account, AcmeClient } from "./client";
import { AcmeProblem } from "./problem";

export const DOMAIN = definitionOf("reserved_domain");
/** The sealed key of the certificate that is being ordered. */
const KEY = "acme_key";
/** The pause between two looks at an order in progress; it grows while there is no news. */
const LOOK_MS = 500;
const GROWTH = 1.2;
const MAX_LOOK_MS = 60_000;

export interface Tools {
  readonly context: ServerContext;
  readonly client: AcmeClient;
  readonly settings: AcmeSettings;
  /** The account at the authority, made when it is first needed. */
  readonly account: () => Promise<Account>;
}

/** A reserved domain as it is stored. */
export interface Domain {
  readonly id: string;
  /** The id of its project. */
  readonly project: string;
  readonly fields: Answers["reserved_domain"];
}

/** Undefined for one that was deleted. */
export async function domainOf({ store }: ServerContext, id: string): Promise<Domain | undefined> {
  const row = await store.reader
    .selectFrom("resource")
    .select(["project_id", "document"])
    .where("id", "=", id)
    .executeTakeFirst();
  return row && { id, project: row.project_id, fields: JSON.parse(row.document) };
}

/** The certificate that was ordered for a domain last, as PEM; undefined for none. */
export async function orderedFor(
  { store }: ServerContext,
  { fields }: Domain,
): Promise<{ readonly id: string; readonly pem: string } | undefined> {
  if (!fields.certificate) return undefined;
  const row = await store.reader
    .selectFrom("acme_certificate")
    .innerJoin("resource", "resource.id", "acme_certificate.certificate_id")
    .select(["resource.id", "document"])
    .where("certificate_id", "=", fields.certificate.id)
    .executeTakeFirst();
  return row && { id: row.id, pem: JSON.parse(row.document).certificate_pem };
}

/** Whether a domain goes on with the order of a URL. */
export async function isOrdered({ store }: ServerContext, url: string): Promise<boolean> {
  const row = await store.reader
    .selectFrom("acme_order")
    .select("domain_id")
    .where("order_url", "=", url)
    .executeTakeFirst();
  return row !== undefined;
}

type Progress = Partial<Omit<AcmeOrderRow, "domain_id">>;

/** Stores how far an order is, unless its policy changed meanwhile. */
export const store = (context: ServerContext, row: AcmeOrderRow, progress: Progress): Promise<void> =>
  context.store.write((transaction) => storeIn(transaction, row, progress));

export async function storeIn(
  transaction: Transaction,
  row: Pick<AcmeOrderRow, "domain_id" | "phase" | "order_url">,
  progress: Progress,
): Promise<void> {
  let query = transaction
    .updateTable("acme_order")
    .set(progress)
    .where("domain_id", "=", row.domain_id)
    .where("phase", "=", row.phase);
  query =
    row.order_url === null
      ? query.where("order_url", "is", null)
      : query.where("order_url", "=", row.order_url);
  const { numUpdatedRows } = await query.executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) throw new AcmeProblem("superseded", "the policy changed meanwhile");
}

/** Goes on at once with something new. */
export const goOn = (context: ServerContext, row: AcmeOrderRow, progress: Progress): Promise<void> =>
  store(context, row, { looks: 0, next_at: Date.now(), ...progress });

/** Looks again later: nothing has changed. */
export function lookAgain(context: ServerContext, row: AcmeOrderRow): Promise<void> {
  const pause = Math.min(LOOK_MS * GROWTH ** Math.min(row.looks, 100), MAX_LOOK_MS);
  return store(context, row, { looks: row.looks + 1, next_at: Math.round(Date.now() + pause) });
}

/** Changes objects in the name of the server. */
export async function change(
  context: ServerContext,
  { project }: Domain,
  work: (transaction: Transaction, changes: ObjectChange[]) => Promise<unknown>,
): Promise<void> {
  await new Transactions(context, requestOfServer(project)).run(async (transaction, changes) => {
    await work(transaction, changes);
  });
}

/** The words of a try, as `certificate_management_status` shows them. */
export interface Job {
  readonly error_code: string | null;
  readonly msg: string;
  readonly retries_at: string | null;
}

/** Shows how far an order is. @param job null once there is a certificate */
export async function showStatus(
  context: ServerContext,
  transaction: Transaction,
  changes: ObjectChange[],
  { domain_id, started_at, renews_at }: Pick<AcmeOrderRow, "domain_id" | "started_at" | "renews_at">,
  job: Job | null,
  more: Record<string, unknown> = {},
): Promise<void> {
  await amendByServer(context, transaction, changes, DOMAIN, domain_id, {
    certificate_management_status: { renews_at, provisioning_job: job && { ...job, started_at } },
    ...more,
  });
}

export async function keepKey(
  { keyring }: ServerContext,
  transaction: Transaction,
  id: string,
  key: string,
): Promise<void> {
  const value = sealKept(keyring, { id, name: KEY }, key);
  await transaction
    .insertInto("sealed_secret")
    .values({ resource_id: id, name: KEY, value })
    .onConflict((conflict) => conflict.columns(["resource_id", "name"]).doUpdateSet({ value }))
    .execute();
}

export async function keyOf({ store: { reader }, keyring }: ServerContext, id: string): Promise<string> {
  const key = await readSecret(reader, keyring, { id, name: KEY });
  if (key === undefined) throw new AcmeProblem("internal", "the key of the order is gone", { isFinal: true });
  return key;
}
