import { hash } from "node:crypto";
import type { Kysely } from "kysely";
import type { Keyring } from "../secrets";
import { type Database, effect, insertion, pipelined, statement, type Transaction } from "../storage";
import { RequestError } from "../util";

const KEPT_MS = 24 * 60 * 60 * 1000;

/** A request with an Idempotency-Key. */
export interface IdempotentRequest extends KeyOfRequest {
  /** The hash of the request. The same key with another request is refused. */
  readonly requestHash: string;
  /** The id of an object: an answer that created it does not count any more. */
  readonly after?: string | undefined;
}

/** Names a key: each owner may use the same key for another request, and again in each project. */
export interface KeyOfRequest {
  /** The id of the project. */
  readonly project: string;
  readonly ownerId: string;
  readonly key: string;
}

/**
 * The SHA-256 of a request's method, path and body, and of the scopes of its API key: an answer may hold a
 * new key with these scopes, which a key with fewer scopes must not get.
 */
export const requestHashOf = (
  method: string,
  path: string,
  body: unknown,
  scopes: readonly string[] = [],
): string =>
  hash(
    "sha256",
    JSON.stringify([method, path, body ?? null, ...(scopes.length > 0 ? [scopes] : [])]),
    "base64url",
  );

/** Finds the first answer to the same request. Refuses a key that was used for another request. */
export async function answeredBefore<T>(
  db: Kysely<Database>,
  keyring: Keyring,
  { requestHash, after, ...named }: IdempotentRequest,
): Promise<T | undefined> {
  const [row] = await keptAnswer(db, { ...named, expiry: expiry() });
  if (!row) return undefined;
  if (row.request_hash !== requestHash) {
    throw new RequestError(
      "idempotency_key_reused",
      `The Idempotency-Key ${JSON.stringify(named.key)} was used with another request in the last 24 hours; use a new one for each new request, and the same only to repeat a request as it was`,
    );
  }
  if (after !== undefined && row.created_id === after) return undefined;
  return JSON.parse(await keyring.opening(db, () => keyring.open(locationOf(named), row.answer)));
}

type UntilExpiry = KeyOfRequest & { readonly expiry: string };

type KeptAnswer = Pick<Database["idempotency_key"], "request_hash" | "answer" | "created_id">;

const keptAnswer = statement<UntilExpiry, KeptAnswer>((db, parameter) =>
  db
    .selectFrom("idempotency_key")
    .select(["request_hash", "answer", "created_id"])
    .where("project_id", "=", parameter("project"))
    .where("owner_id", "=", parameter("ownerId"))
    .where("key", "=", parameter("key"))
    .where("created_at", ">", parameter("expiry")),
);

/** Keeps the answer, in the transaction of the change. */
export async function keepAnswer(
  transaction: Transaction,
  keyring: Keyring,
  { requestHash, after, ...named }: IdempotentRequest,
  answer: unknown,
): Promise<void> {
  const { id = null }: { readonly id?: string | null } = Object(answer);
  const answered = keyring.seal(locationOf(named), JSON.stringify(answer));
  await pipelined([
    forgetAnswer(transaction, { ...named, after: after ?? null, expiry: expiry() }),
    insertAnswer(transaction, {
      owner_id: named.ownerId,
      key: named.key,
      request_hash: requestHash,
      answer: answered,
      created_at: new Date().toISOString(),
      project_id: named.project,
      created_id: id,
    }),
  ]);
}

/** Removes an answer that is expired or does not count any more, to make room for a new one. */
const forgetAnswer = effect<UntilExpiry & { readonly after: string | null }>((db, parameter) =>
  db
    .deleteFrom("idempotency_key")
    .where("project_id", "=", parameter("project"))
    .where("owner_id", "=", parameter("ownerId"))
    .where("key", "=", parameter("key"))
    .where(({ eb, or }) =>
      or([eb("created_at", "<=", parameter("expiry")), eb("created_id", "=", parameter("after"))]),
    ),
);

const insertAnswer = insertion("idempotency_key", [
  "owner_id",
  "key",
  "request_hash",
  "answer",
  "created_at",
  "project_id",
  "created_id",
]);

/** Removes expired answers. */
export async function forgetAnswers(transaction: Transaction): Promise<void> {
  await transaction.deleteFrom("idempotency_key").where("created_at", "<=", expiry()).execute();
}

/** The location to which a kept answer is sealed. */
export const locationOf = ({ project, ownerId, key }: KeyOfRequest): string =>
  `idempotency_key/${project}/${ownerId}/${key}`;

const expiry = (): string => new Date(Date.now() - KEPT_MS).toISOString();
