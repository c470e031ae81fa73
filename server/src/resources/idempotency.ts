import { hash } from "node:crypto";
import type { Kysely } from "kysely";
import type { Keyring } from "../secrets";
import { type Database, insertion, pipelined, statement } from "../storage";
import { RequestError } from "../util";

const KEPT_MS = 24 * 60 * 60 * 1000;

/** A request that may be repeated, and the name under which its answer is kept; api-decisions "Headers of our own". */
export interface IdempotentRequest {
  /** Whose name it is: users and bots choose theirs without knowing of each other. */
  readonly ownerId: string;
  readonly key: string;
  /** What was asked for; the same name with another request is a mistake. */
  readonly requestHash: string;
}

/** The SHA-256 of what a request asks for: its method, path and body. */
export const requestHashOf = (method: string, path: string, body: unknown): string =>
  hash("sha256", JSON.stringify([method, path, body ?? null]), "base64url");

/** What was answered to the same request before, if it was. Refuses the name of another request. */
export async function answeredBefore<T>(
  db: Kysely<Database>,
  keyring: Keyring,
  { ownerId, key, requestHash }: IdempotentRequest,
): Promise<T | undefined> {
  const [row] = await keptAnswer(db, { ownerId, key, expiry: expiry() });
  if (!row) return undefined;
  if (row.request_hash !== requestHash) {
    throw new RequestError(
      "idempotency_key_reused",
      `The Idempotency-Key ${JSON.stringify(key)} was used with another request in the last 24 hours; use a new one for each new request, and the same only to repeat a request as it was`,
    );
  }
  return JSON.parse(await keyring.opening(db, () => keyring.open(placeOf(ownerId, key), row.answer)));
}

const keptAnswer = statement<{ ownerId: string; key: string; expiry: string }, { request_hash: string; answer: string }>((db, parameter) =>
  db
    .selectFrom("idempotency_key")
    .select(["request_hash", "answer"])
    .where("owner_id", "=", parameter("ownerId"))
    .where("key", "=", parameter("key"))
    .where("created_at", ">", parameter("expiry")),
);

/** Keeps the answer in the transaction of the change that it tells of. */
export async function keepAnswer(
  transaction: Kysely<Database>,
  keyring: Keyring,
  idempotency: IdempotentRequest,
  answer: unknown,
): Promise<void> {
  const { ownerId: owner_id, key, requestHash: request_hash } = idempotency;
  const answered = keyring.seal(placeOf(owner_id, key), JSON.stringify(answer));
  await pipelined([
    forgetAnswer(transaction, { ownerId: owner_id, key, expiry: expiry() }),
    insertAnswer(transaction, { owner_id, key, request_hash, answer: answered, created_at: new Date().toISOString() }),
  ]);
}

/** One that is too old to be given again makes room. */
const forgetAnswer = statement<{ ownerId: string; key: string; expiry: string }, unknown>((db, parameter) =>
  db
    .deleteFrom("idempotency_key")
    .where("owner_id", "=", parameter("ownerId"))
    .where("key", "=", parameter("key"))
    .where("created_at", "<=", parameter("expiry")),
);

const insertAnswer = insertion("idempotency_key", ["owner_id", "key", "request_hash", "answer", "created_at"]);

/** Removes the answers that are too old to be given again. */
export async function forgetAnswers(transaction: Kysely<Database>): Promise<void> {
  await transaction.deleteFrom("idempotency_key").where("created_at", "<=", expiry()).execute();
}

/** What a kept answer is bound to. */
export const placeOf = (ownerId: string, key: string): string => `idempotency_key/${ownerId}/${key}`;

const expiry = (): string => new Date(Date.now() - KEPT_MS).toISOString();
