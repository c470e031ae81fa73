import { amendByServer, type ServerContext } from "../resources";
import type { AcmeOrderRow } from "../storage";
import { type Challenge, changeRecord, chosen, digestOf, recordName } from "./challenges";
import type { Account, AcmeClient, Order } from "./client";
import { AcmeProblem, problemIn } from "./problem";
import { again, change, DOMAIN, type Domain, store, type Tools } from "./state";

/** Challenges that the authority does not decide are given up. */
const LONGEST_MS = 60 * 60_000;
/** A name server may need a moment before others see its change. */
const RECORD_MS = 1_000;
/** A gateway that has not reported for so long is not waited for; it reports every 30 s. */
const SILENT_MS = 90_000;
/** Nor is one that does not follow. */
const FOLLOWED_MS = 15_000;

/** Answers the challenge of an order, and tells the authority once the answer can be seen. */
export async function prove(
  tools: Tools,
  row: AcmeOrderRow,
  domain: Domain,
  account: Account,
  { authorizations }: Order,
): Promise<void> {
  const { client, context } = tools;
  const challenge: Challenge | null = JSON.parse(row.challenge ?? "null");
  if (!challenge) return present(tools, row, domain, account, authorizations);
  if (!challenge.isTold) {
    if (!(await isSeen(context, challenge))) return again(context, row, {});
    await client.respond(account, challenge.url);
    return again(context, row, { challenge: JSON.stringify({ ...challenge, isTold: true }) });
  }
  if (Date.now() - challenge.since > LONGEST_MS)
    throw new AcmeProblem("timeout", "the authority did not decide within an hour");
  return again(context, row, {});
}

async function present(
  { client, context, settings }: Tools,
  row: AcmeOrderRow,
  domain: Domain,
  account: Account,
  authorizations: readonly string[],
): Promise<void> {
  const { domain: name } = domain.fields;
  for (const url of authorizations) {
    const authorization = await client.authorization(account, url);
    if (authorization.status !== "pending") continue;
    const found = chosen(authorization, { domain: name, tries: row.tries }, settings);
    const value = digestOf(await client.keyAuthorization(account, found.token ?? ""));
    const common = { url: found.url, value, since: Date.now(), isTold: false };
    if (found.type === "dns-01") {
      const record: Challenge = { type: "dns-01", name: recordName(name), ...common };
      // Stored first, so that what was begun is taken away, also after a crash.
      await store(context, row, { challenge: JSON.stringify(record) });
      await changeRecord("present", record, settings);
      return again(context, row, {});
    }
    const sequence = await showDigest(context, domain, value);
    const shown: Challenge = { type: "tls-alpn-01", name, sequence, ...common };
    return again(context, row, { challenge: JSON.stringify(shown) });
  }
  return again(context, row, {});
}

/** Shows a digest to gateways. Returns the sequence of the event with which they learn of it. */
async function showDigest(context: ServerContext, domain: Domain, digest: string): Promise<number> {
  await change(context, domain, (transaction, changes) =>
    amendByServer(context, transaction, changes, DOMAIN, domain.id, { acme_tls_alpn: digest }),
  );
  await context.sequencer.settle();
  const event = await context.store.reader
    .selectFrom("event")
    .select("sequence")
    .where("object_id", "=", domain.id)
    .orderBy("sequence", "desc")
    .limit(1)
    .executeTakeFirst();
  return Number(event?.sequence ?? 0);
}

/** Whether those who are asked know the answer: gateways follow events, and say how far they are. */
async function isSeen(
  { store: { reader } }: ServerContext,
  { sequence, since }: Challenge,
): Promise<boolean> {
  const waited = Date.now() - since;
  if (sequence === undefined) return waited >= RECORD_MS;
  if (waited >= FOLLOWED_MS) return true;
  const behind = await reader
    .selectFrom("gateway")
    .select("name")
    .where("last_seen", ">=", new Date(Date.now() - SILENT_MS).toISOString())
    .where("sequence", "<", sequence)
    .limit(1)
    .executeTakeFirst();
  return behind === undefined;
}

/** Takes away the answer to a challenge. A record of DNS that stays does no harm. */
export async function cleanUp({ settings }: Tools, { challenge }: AcmeOrderRow): Promise<void> {
  const known: Challenge | null = JSON.parse(challenge ?? "null");
  if (known?.type === "dns-01") await changeRecord("cleanup", known, settings).catch(() => undefined);
}

/** Why an order is invalid: the reason of the order, or that of its challenge. */
export async function whyInvalid(
  client: AcmeClient,
  account: Account,
  { error, authorizations }: Order,
): Promise<AcmeProblem> {
  for (const url of authorizations) {
    const { challenges } = await client.authorization(account, url);
    const failed = challenges.find((one) => one.error !== undefined && one.error !== null);
    if (failed) return problemIn(failed.error, `the challenge ${failed.type} failed`);
  }
  return problemIn(error, "the order failed");
}
