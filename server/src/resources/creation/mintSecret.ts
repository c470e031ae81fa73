import { hashSecret, newSecret } from "../../secrets";
import type { Behaviour } from "./behaviour";

/** Gives an object a secret that is told once, in the creation's answer, and kept as a hash. */
export const mintSecret =
  (prefix: Parameters<typeof newSecret>[0]): Behaviour =>
  async ({ id }) => {
    const token = newSecret(prefix);
    return {
      oneTime: { token },
      keep: (transaction) =>
        transaction
          .insertInto("told_secret")
          .values({ resource_id: id, hash: hashSecret(token) })
          .execute(),
    };
  };
