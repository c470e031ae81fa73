import { X509Certificate } from "node:crypto";
import { type Definition, definitionOf, messageOf, validateCreate } from "@tunnelplane/sdk/contract";
import { insertResources, prepareCreation, requestOfServer } from "../resources";
import type { AcmeOrderRow } from "../storage";
import { newId } from "../util";
import { forgetAccount } from "./account";
import type { Challenge } from "./challenges";
import type { Account, Order } from "./client";
import { AcmeProblem } from "./problem";
import { cleanUp, prove, whyInvalid } from "./prove";
import { certificateId, renewalTime } from "./renewal";
import { newCertificateKey, signingRequest } from "./signingRequest";
import {
  change,
  type Domain,
  domainOf,
  goOn,
  isOrdered,
  keepKey,
  keyOf,
  lookAgain,
  orderedFor,
  showStatus,
  store,
  storeIn,
  type Tools,
} from "./state";
import { claimTurn } from "./turns";

const CERTIFICATE: Definition = definitionOf("tls_certificate");
/** The pause after the first failure; it doubles with each further one. */
const PAUSE_MS = 60_000;
const MAX_PAUSE_MS = 6 * 60 * 60_000;
/** The longest pause, whatever the authority asks for. */
export const MAX_WAIT_MS = 24 * 60 * 60_000;
/** The authority's suggestion for a renewal is asked for anew so often. */
const ASK_AGAIN_MS = 6 * 60 * 60_000;
/** How many of the account's last orders are looked at for one whose answer was lost. */
const LOOKED_AT = 50;

/**
 * Takes one step with the certificate of one domain. What was done is stored before the next step, so that
 * another server, or this one after a crash, goes on there.
 */
export async function advance(tools: Tools, row: AcmeOrderRow): Promise<void> {
  const domain = await domainOf(tools.context, row.domain_id);
  if (!domain) return; // deleted meanwhile, with its row
  try {
    await step(tools, row, domain);
  } catch (error) {
    await fail(tools, row, domain, error);
  }
}

async function step(tools: Tools, row: AcmeOrderRow, domain: Domain): Promise<void> {
  const { client, context } = tools;
  if (row.phase === "ending") return end(tools, row, domain);
  if (row.phase === "issued" && (await isRenewedLater(tools, row, domain))) return;
  if (row.phase === "issued") return goOn(context, row, { phase: "new" });
  const account = await tools.account();
  if (row.phase === "placing")
    return place(tools, row, domain, account, await findPlaced(tools, domain, account));
  if (row.order_url === null) return begin(tools, row, domain, account);
  const order = await client.order(account, row.order_url);
  if (order.status === "pending") return prove(tools, row, domain, account, order);
  if (order.status === "invalid") throw await whyInvalid(client, account, order);
  if (order.status === "valid")
    return issue(tools, row, domain, await client.certificate(account, order.certificate ?? ""));
  if (order.status === "ready") {
    const request = signingRequest(domain.fields.domain, await keyOf(context, domain.id));
    await client.finalize(account, order, request);
    return goOn(context, row, {});
  }
  return lookAgain(context, row);
}

/** Whether a certificate is renewed later than now, by what the authority suggests today. */
async function isRenewedLater(
  { client, context }: Tools,
  row: AcmeOrderRow,
  domain: Domain,
): Promise<boolean> {
  const ordered = await orderedFor(context, domain);
  if (!ordered) return false;
  const suggested = await renewalTime(client, ordered.pem);
  const known = row.renews_at === null ? suggested : new Date(row.renews_at);
  // A suggestion is a moment within a window, another one each time: the earliest stays.
  const next = suggested < known ? suggested : known;
  if (next.getTime() <= Date.now()) return false;
  const at = Math.min(next.getTime(), Date.now() + ASK_AGAIN_MS);
  await store(context, row, { next_at: at, renews_at: next.toISOString() });
  return true;
}

/** Takes a turn, and places the order; says so where it has to wait for one. */
async function begin(tools: Tools, row: AcmeOrderRow, domain: Domain, account: Account): Promise<void> {
  const { context } = tools;
  const progress = {
    ...({ phase: "placing", challenge: null, looks: 0, next_at: Date.now() } as const),
    started_at: row.started_at ?? new Date().toISOString(),
  };
  const hasTurn = await context.store.write(async (transaction) => {
    if (!(await claimTurn(transaction))) return false;
    await storeIn(transaction, row, progress);
    return true;
  });
  if (!hasTurn) return wait(tools, row, domain);
  await cleanUp(tools, row);
  return place(tools, { ...row, ...progress }, domain, account);
}

async function wait({ context }: Tools, row: AcmeOrderRow, domain: Domain): Promise<void> {
  if (row.started_at !== null) return; // it has been said
  const progress = { started_at: new Date().toISOString() };
  const msg = "It waits for its turn: the authority takes some 300 orders in three hours";
  await change(context, domain, async (transaction, changes) => {
    await storeIn(transaction, row, progress);
    const job = { error_code: null, msg, retries_at: null };
    await showStatus(context, transaction, changes, { ...row, ...progress }, job);
  });
}

async function place(
  tools: Tools,
  row: AcmeOrderRow,
  domain: Domain,
  account: Account,
  known?: Order,
): Promise<void> {
  const { context } = tools;
  const order = known ?? (await newOrder(tools, domain, account));
  const progress = {
    ...({ phase: "ordered", challenge: null, looks: 0, next_at: Date.now() } as const),
    order_url: order.url,
  };
  const type = domain.fields.certificate_management_policy?.private_key_type ?? "ecdsa";
  const msg = `The certificate is ordered from ${new URL(account.directory).host}`;
  await change(context, domain, async (transaction, changes) => {
    await keepKey(context, transaction, domain.id, newCertificateKey(type));
    await storeIn(transaction, row, progress);
    const job = { error_code: null, msg, retries_at: null };
    await showStatus(context, transaction, changes, { ...row, ...progress }, job);
  });
}

async function newOrder({ context, client }: Tools, domain: Domain, account: Account): Promise<Order> {
  const { domain: name } = domain.fields;
  const ordered = await orderedFor(context, domain);
  const replaced = ordered && certificateId(new X509Certificate(ordered.pem));
  try {
    return await client.newOrder(account, name, replaced);
  } catch (error) {
    // An authority may refuse an order in the place of a certificate that it no longer knows.
    if (replaced === undefined || !(error instanceof AcmeProblem) || !error.isFinal) throw error;
    return client.newOrder(account, name);
  }
}

/**
 * The order that was placed, where the answer was lost: the last one of the account that nobody here goes on
 * with. An authority that lists no orders answers with the pending one when it is asked for another.
 */
async function findPlaced(
  { client, context }: Tools,
  { fields: { domain } }: Domain,
  account: Account,
): Promise<Order | undefined> {
  for (const url of await client.lastOrders(account, LOOKED_AT)) {
    if (await isOrdered(context, url)) continue;
    const order = await client.order(account, url);
    const isOfDomain = order.identifiers.length === 1 && order.identifiers[0]?.value === domain;
    if (isOfDomain && (order.status === "pending" || order.status === "ready")) return order;
  }
  return undefined;
}

/** Stores the certificate, and has the domain name it, all at once. */
async function issue(tools: Tools, row: AcmeOrderRow, domain: Domain, pem: string): Promise<void> {
  const { context, client } = tools;
  const now = new Date();
  const { value, problems } = validateCreate(CERTIFICATE, {
    description: `ordered for ${domain.fields.domain}`.slice(0, 255),
    certificate_pem: pem,
    private_key_pem: await keyOf(context, domain.id),
  });
  if (problems[0])
    throw new AcmeProblem("malformed", `the certificate cannot be used: ${problems[0].message}`, {
      isFinal: true,
    });
  const renews = await renewalTime(client, pem);
  const before = await orderedFor(context, domain);
  const id = newId(CERTIFICATE.idPrefix);
  const derived = { ...CERTIFICATE.derive(value), issued_at: now.toISOString() };
  const made = await prepareCreation(context, requestOfServer(domain.project).caller, {
    definition: CERTIFICATE,
    id,
    now,
    body: { value, problems, derived },
  });
  await cleanUp(tools, row);
  const progress = {
    phase: "issued",
    order_url: null,
    challenge: null,
    started_at: null,
    tries: 0,
    looks: 0,
    next_at: Math.min(renews.getTime(), Date.now() + ASK_AGAIN_MS),
    renews_at: renews.toISOString(),
  } as const;
  await change(context, domain, async (transaction, changes) => {
    const { json, rows } = made.print();
    await insertResources(transaction, [rows.resource]);
    const storedAs = { ownerId: made.ownerId, version: 1, project: domain.project };
    changes.push({ change: "created", definition: CERTIFICATE, id, storedAs, after: made.after, json });
    await transaction
      .insertInto("acme_certificate")
      .values({ certificate_id: id, domain_id: domain.id, unused_since: null })
      .execute();
    if (before)
      await transaction
        .updateTable("acme_certificate")
        .set({ unused_since: now.getTime() })
        .where("certificate_id", "=", before.id)
        .execute();
    await storeIn(transaction, row, progress);
    await showStatus(context, transaction, changes, { ...row, ...progress }, null, {
      certificate: context.documents.refTo(id),
      acme_tls_alpn: null,
    });
  });
}

/** The policy is gone: its certificate is no longer needed, and goes an hour later. */
async function end(tools: Tools, row: AcmeOrderRow, domain: Domain): Promise<void> {
  const { context } = tools;
  await cleanUp(tools, row);
  await change(context, domain, async (transaction, changes) => {
    await transaction
      .updateTable("acme_certificate")
      .set({ unused_since: Date.now() })
      .where("domain_id", "=", domain.id)
      .where("unused_since", "is", null)
      .execute();
    await transaction
      .deleteFrom("acme_order")
      .where("domain_id", "=", domain.id)
      .where("phase", "=", "ending")
      .execute();
    await showStatus(context, transaction, changes, { ...row, renews_at: null }, null, {
      certificate_management_status: null,
      acme_tls_alpn: null,
    });
  });
}

/**
 * Says why, and when the next try is: after growing pauses, or as long as the authority asks to wait. The
 * order goes on then, unless the authority has decided.
 */
async function fail(tools: Tools, row: AcmeOrderRow, domain: Domain, error: unknown): Promise<void> {
  const { context } = tools;
  const problem = error instanceof AcmeProblem ? error : new AcmeProblem("internal", messageOf(error));
  if (problem.code === "superseded") return;
  const isInProgress = row.phase === "placing" || row.phase === "ordered";
  const isOver = isInProgress && problem.isFinal;
  const challenge: Challenge | null = JSON.parse(row.challenge ?? "null");
  // Until the authority is told, the next try may take another way.
  const isTakenBack = isOver || !challenge?.isTold;
  const pause = Math.min(PAUSE_MS * 2 ** Math.min(row.tries, 10), MAX_PAUSE_MS) * (0.9 + 0.2 * Math.random());
  const next_at = Math.round(Date.now() + Math.min(Math.max(pause, problem.retryAfterMs), MAX_WAIT_MS));
  const progress = {
    started_at: row.started_at ?? new Date().toISOString(),
    tries: row.tries + 1,
    looks: 0,
    next_at,
    ...(isTakenBack && { challenge: null }),
    ...(isOver && { phase: "new" as const, order_url: null }),
  };
  if (isTakenBack) await cleanUp(tools, row);
  if (problem.code === "accountDoesNotExist") await forgetAccount(context.store);
  const job = {
    error_code: problem.code,
    msg: problem.message,
    retries_at: new Date(next_at).toISOString(),
  };
  await change(context, domain, async (transaction, changes) => {
    await storeIn(transaction, row, progress);
    const more = isTakenBack ? { acme_tls_alpn: null } : {};
    await showStatus(context, transaction, changes, { ...row, ...progress }, job, more);
  });
}
