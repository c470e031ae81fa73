import { RequestError } from "./requestError";

/**
 * Sends statements together and awaits all answers. If some fail, it throws only after all have ended:
 * the transaction could end before the rest, which would then run outside of it. A refusal of our own comes
 * before an error of the database, which may only follow from it; and the first error before those that
 * follow from it.
 */
export async function pipelined<T extends readonly unknown[] | []>(
  statements: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  const ended = await Promise.allSettled(statements);
  const errors = ended.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
  if (errors.length > 0) throw errors.find((error) => error instanceof RequestError) ?? errors[0];
  // None was rejected; map forgets that the results are a tuple.
  return ended.map((one) => (one as PromiseFulfilledResult<unknown>).value) as {
    -readonly [K in keyof T]: Awaited<T[K]>;
  };
}
