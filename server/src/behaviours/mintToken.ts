import { hashSecret, newSecret } from "../secrets";
import type { Behaviour } from ".";

/** Gives a tunnel credential its authtoken: told once, kept as a hash. */
export const mintToken: Behaviour = async ({ id }) => {
  const token = newSecret("tpt");
  return {
    told: { token },
    keep: (transaction) =>
      transaction
        .insertInto("told_secret")
        .values({ resource_id: id, hash: hashSecret(token) })
        .execute(),
  };
};
