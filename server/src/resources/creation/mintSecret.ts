import { hashSecret, newSecret } from "../../secrets";
import type { Behaviour } from "./behaviour";

/**
 * Gives an object a one-time secret: only the creation's answer shows it, and the database keeps its hash.
 */
export const mintSecret = (prefix: Parameters<typeof newSecret>[0]): Behaviour => ({
  async make() {
    const token = newSecret(prefix);
    return { oneTime: { token }, secretHash: hashSecret(token) };
  },
});
