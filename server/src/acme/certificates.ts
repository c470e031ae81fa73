import { definitionOf, messageOf } from "@tunnelplane/sdk/contract";
import { ResourceService, requestOfServer, type ServerContext } from "../resources";
import { type AcmeOrderRow, type Store, statement } from "../storage";
import { newId } from "../util";
import { accountAt } from "./account";
import type { AcmeSettings } from "./acmeSettings";
import { type Account, AcmeClient } from "./client";
import { advance, MAX_WAIT_MS } from "./order";
import { isTurn } from "./turns";

/** Domains that are worked on at once. */
const AT_ONCE = 4;
/** Longer than any step: a server that was killed is followed by another one after this time. */
const LEASE_MS = 60_000;
/** How far ahead stored times of orders lie at most, in milliseconds. */
export const ACME_TIMES = { lease: LEASE_MS, pause: MAX_WAIT_MS } as const;
/** A certificate that was replaced stays so long, for gateways that come back with old objects. */
const UNUSED_MS = 60 * 60_000;
const LOOK_FOR_UNUSED_MS = 5_000;
const MAX_UNUSED = 20;

interface Options {
  readonly context: ServerContext;
  readonly settings: AcmeSettings;
  readonly logger: { error(details: unknown, message: string): void };
}

/**
 * Orders and renews certificates for the reserved domains that have a policy. Of several servers on one
 * database, one works at a time. Without such a domain, no authority is ever asked.
 */
export class Certificates {
  readonly #client: AcmeClient;
  readonly #holder = newId("acme");
  #account: Promise<Account> | undefined;
  #lookedAt = 0;

  constructor(private readonly options: Options) {
    this.#client = new AcmeClient(options.settings);
  }

  /** Another server may go on at once. Call it when no {@link work} is running. */
  async release(): Promise<void> {
    await this.options.context.store
      .write((transaction) =>
        transaction.deleteFrom("acme_lease").where("holder", "=", this.#holder).execute(),
      )
      .catch(() => undefined);
    await this.#client.close();
  }

  /** Returns whether nothing more is due. */
  async work(): Promise<boolean> {
    const { context, settings, logger } = this.options;
    const now = Date.now();
    const due = await this.#due(now);
    const unused = await this.#unused(now);
    if ((due.length === 0 && unused.length === 0) || !(await this.#isMine())) return true;
    const tools = {
      ...{ context, settings, client: this.#client },
      account: () => this.#findAccount(),
    };
    const [wentOn] = await Promise.all([
      Promise.allSettled(due.map((row) => advance(tools, { ...row, next_at: Number(row.next_at) }))),
      ...unused.map((row) => this.#forget(row)),
    ]);
    for (const [index, one] of wentOn.entries())
      if (one.status === "rejected")
        logger.error({ err: one.reason, domain: due[index]?.domain_id }, "cannot go on with a certificate");
    return !wentOn.some(({ status }) => status === "fulfilled");
  }

  /** While there is no turn for a new order, those that wait and say so are left out. */
  async #due(now: number): Promise<readonly AcmeOrderRow[]> {
    const { reader } = this.options.context.store;
    const due = await dueOrders(reader, { now, limit: AT_ONCE, newUntil: now });
    if (!due.some(({ phase }) => phase === "new") || (await isTurn(reader))) return due;
    return dueOrders(reader, { now, limit: AT_ONCE, newUntil: 0 });
  }

  /** Those of deleted domains too. Looked for less often: no index finds them. */
  async #unused(now: number): Promise<readonly Unused[]> {
    if (Math.abs(now - this.#lookedAt) < LOOK_FOR_UNUSED_MS) return [];
    this.#lookedAt = now;
    const { reader } = this.options.context.store;
    return unusedCertificates(reader, { before: now - UNUSED_MS, limit: MAX_UNUSED });
  }

  /** Asked for once at a time: domains that are ordered together have one account. */
  #findAccount(): Promise<Account> {
    const { context, settings } = this.options;
    this.#account ??= accountAt(context, this.#client, settings.directory).finally(() => {
      this.#account = undefined;
    });
    return this.#account;
  }

  /** One server of several works; on SQLite there is only one. */
  async #isMine(): Promise<boolean> {
    const { store } = this.options.context;
    return !store.isParallel || takeLease(store, this.#holder);
  }

  /** Deletes a certificate that was replaced. One that somebody uses elsewhere stays, and is theirs. */
  async #forget({ certificate_id: id, project_id }: Unused): Promise<void> {
    const { context, logger } = this.options;
    try {
      await new ResourceService(context, requestOfServer(project_id)).remove(
        definitionOf("tls_certificate"),
        { id },
        () => undefined,
      );
    } catch (error) {
      logger.error({ err: error, certificate: id }, `a replaced certificate stays: ${messageOf(error)}`);
      await context.store.write((transaction) =>
        transaction.deleteFrom("acme_certificate").where("certificate_id", "=", id).execute(),
      );
    }
  }
}

async function takeLease(store: Store, holder: string): Promise<boolean> {
  const now = await store.now(); // the clocks of two servers differ
  const until = now + LEASE_MS;
  return store.write(async (transaction) => {
    // One statement, so that of two servers that find no lease one gets it.
    const { numInsertedOrUpdatedRows = 0n } = await transaction
      .insertInto("acme_lease")
      .values({ id: 1, holder, until })
      .onConflict((conflict) =>
        conflict
          .column("id")
          .doUpdateSet({ holder, until })
          .where(({ or, eb }) =>
            or([eb("acme_lease.holder", "=", holder), eb("acme_lease.until", "<=", now)]),
          ),
      )
      .executeTakeFirstOrThrow();
    return numInsertedOrUpdatedRows > 0n;
  });
}

const dueOrders = statement<{ now: number; limit: number; newUntil: number }, AcmeOrderRow>((db, parameter) =>
  db
    .selectFrom("acme_order")
    .selectAll()
    .where("next_at", "<=", parameter("now"))
    .where(({ or, eb }) =>
      or([
        eb("phase", "!=", "new"),
        eb("started_at", "is", null),
        eb("next_at", "<=", parameter("newUntil")),
      ]),
    )
    .orderBy("next_at")
    .limit(parameter("limit")),
);

interface Unused {
  readonly certificate_id: string;
  readonly project_id: string;
}

const unusedCertificates = statement<{ before: number; limit: number }, Unused>((db, parameter) =>
  db
    .selectFrom("acme_certificate")
    .innerJoin("resource", "resource.id", "acme_certificate.certificate_id")
    .leftJoin("resource as domain", "domain.id", "acme_certificate.domain_id")
    .select(["certificate_id", "resource.project_id"])
    .where(({ or, eb }) => or([eb("unused_since", "<", parameter("before")), eb("domain.id", "is", null)]))
    .limit(parameter("limit")),
);
