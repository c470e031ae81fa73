import { definitionOf, messageOf } from "@tunnelplane/sdk/contract";
import { ResourceService, type ServerContext } from "../resources";
import { type AcmeOrderRow, type Store, statement } from "../storage";
import { newId, Rounds } from "../util";
import { accountAt } from "./account";
import { type Account, AcmeClient } from "./client";
import { advance } from "./order";
import type { AcmeSettings } from "./settings";
import { theServerIn } from "./state";

/** How often to look, by an index, what is due. */
const POLL_MS = 500;
/** Domains that are worked on at once. */
const AT_ONCE = 4;
/** Longer than any step: a server that was killed is followed by another one after this time. */
const LEASE_MS = 60_000;
/** A certificate that was replaced stays so long, for gateways that come back with old objects. */
const UNUSED_MS = 60 * 60_000;
const LOOK_FOR_UNUSED_MS = 5_000;
const MOST_UNUSED = 20;
/** Let's Encrypt takes 300 new orders of an account in three hours. */
const WINDOW_MS = 3 * 60 * 60_000;
const MOST_ORDERS = 290;
/** The first orders of a window are placed at once, and each further one so long after the one before. */
const FIRST_ORDERS = 20;
const SPREAD_MS = WINDOW_MS / (MOST_ORDERS - FIRST_ORDERS);

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
  /** When new orders were placed lately. */
  readonly #placed: number[] = [];
  #account: Promise<Account> | undefined;
  #lookedAt = 0;
  readonly #rounds = new Rounds({
    work: () => this.#work(),
    pauseMs: () => 0,
    pollMs: POLL_MS,
    onError: (error) => this.options.logger.error({ err: error }, "cannot order certificates"),
  });

  constructor(private readonly options: Options) {
    this.#client = new AcmeClient(options.settings);
  }

  /** Works until {@link stop}. */
  start(): void {
    this.#rounds.start();
    this.#rounds.wake();
  }

  /** Another server may go on at once. */
  async stop(): Promise<void> {
    await this.#rounds.stop();
    await this.options.context.store
      .write((transaction) =>
        transaction.deleteFrom("acme_lease").where("holder", "=", this.#holder).execute(),
      )
      .catch(() => undefined);
    await this.#client.close();
  }

  /** Returns whether nothing more is due. */
  async #work(): Promise<boolean> {
    const { context, settings, logger } = this.options;
    const now = Date.now();
    const due = await dueOrders(context.store.reader, { now, limit: AT_ONCE });
    const unused = await this.#unused(now);
    if ((due.length === 0 && unused.length === 0) || !(await this.#isMine())) return true;
    const tools = {
      ...{ context, settings, client: this.#client },
      account: () => this.#findAccount(),
      mayOrder: () => this.#mayOrder(),
    };
    await Promise.all([
      ...due.map((row) =>
        advance(tools, { ...row, next_at: Number(row.next_at) }).catch((error: unknown) =>
          logger.error({ err: error, domain: row.domain_id }, "cannot go on with a certificate"),
        ),
      ),
      ...unused.map((row) => this.#forget(row)),
    ]);
    return due.length < AT_ONCE;
  }

  /** Those of deleted domains too. Looked for less often: no index finds them. */
  async #unused(now: number): Promise<readonly Unused[]> {
    if (now - this.#lookedAt < LOOK_FOR_UNUSED_MS) return [];
    this.#lookedAt = now;
    const { reader } = this.options.context.store;
    return unusedCertificates(reader, { before: now - UNUSED_MS, limit: MOST_UNUSED });
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

  #mayOrder(): boolean {
    const now = Date.now();
    while (this.#placed[0] !== undefined && this.#placed[0] <= now - WINDOW_MS) this.#placed.shift();
    const last = this.#placed.at(-1) ?? 0;
    if (this.#placed.length >= MOST_ORDERS) return false;
    if (this.#placed.length >= FIRST_ORDERS && now - last < SPREAD_MS) return false;
    this.#placed.push(now);
    return true;
  }

  /** Deletes a certificate that was replaced. One that somebody uses elsewhere stays, and is theirs. */
  async #forget({ certificate_id: id, project_id }: Unused): Promise<void> {
    const { context, logger } = this.options;
    const request = { caller: theServerIn(project_id), operationId: newId("op"), client: "", dryRun: false };
    try {
      await new ResourceService(context, request).remove(
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
  const now = Date.now();
  return store.write(async (transaction) => {
    const until = now + LEASE_MS;
    const row = await transaction.selectFrom("acme_lease").selectAll().forUpdate().executeTakeFirst();
    if (row && row.holder !== holder && Number(row.until) > now) return false;
    await transaction
      .insertInto("acme_lease")
      .values({ id: 1, holder, until })
      .onConflict((conflict) => conflict.column("id").doUpdateSet({ holder, until }))
      .execute();
    return true;
  });
}

const dueOrders = statement<{ now: number; limit: number }, AcmeOrderRow>((db, parameter) =>
  db
    .selectFrom("acme_order")
    .selectAll()
    .where("next_at", "<=", parameter("now"))
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
