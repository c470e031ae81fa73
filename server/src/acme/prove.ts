import { amendByServer, type ServerContext } from "../resources";
import type { AcmeOrderRow } from "../storage";
import { type Challenge, changeRecord, chosen, digestOf, recordName } from "./challenges";
import type { Account, AcmeClient, Order } from "./client";
import { type AcmeProblem, problemIn } from "./problem";
import { change, DOMAIN, type Domain, goOn, lookAgain, type Tools } from "./state";

/** A name server may need a moment before others see its change. */
const RECORD_MS = 1_000;
/** A gateway that has not reported for this long is not waited for; it reports every 30 s. */
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
  const { client, context, settings } = tools;
  const challenge: Challenge | null = JSON.parse(row.challenge ?? "null");
  if (!challenge) return present(tools, row, domain, account, authorizations);
  if (challenge.isTold) return lookAgain(context, row);
  const keep = (news: Partial<Challenge>) =>
    goOn(context, row, { challenge: JSON.stringify({ ...challenge, ...news }) });
  if (challenge.since === null) {
    await changeRecord("present", challenge, settings);
    return keep({ since: Date.now() });
  }
  if (!(await isSeen(context, challenge.since, challenge.sequence))) return lookAgain(context, row);
  await client.respond(account, challenge.url);
  return keep({ isTold: true });
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
    const common = { url: found.url, value, isTold: false };
    // A record is stored before it is made, so that it is taken away, also after a crash.
    const challenge: Challenge =
      found.type === "dns-01"
        ? { ...common, type: "dns-01", name: recordName(name), since: null }
        : {
            ...{ ...common, type: "tls-alpn-01", name },
            sequence: await showDigest(context, domain, value),
            since: Date.now(),
          };
    return goOn(context, row, { challenge: JSON.stringify(challenge) });
  }
  return lookAgain(context, row);
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
  since: number,
  sequence: number | undefined,
): Promise<boolean> {
  const waited = Math.abs(Date.now() - since); // the clock may have gone back
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
    if (failed) return problemIn(failed.error, `the challenge ${failed.type} failed`, { isFinal: true });
  }
  return problemIn(error, "the order failed", { isFinal: true });
}
