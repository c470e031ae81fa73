import { inThePast, type SentOf } from "@tunnelplane/sdk/contract";
import { plansForOthers } from "../../auth";
import { hashSecret, newSecret } from "../../secrets";
import { refuseFaults } from "../../util";
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

/**
 * Makes an API key, with the scopes and the project of the one that makes it if none are named. Refuses one
 * that has already expired, and one that would outlive the key that makes it: without that, a thief of a
 * short-lived key could make a lasting one. For the same reason it ends with the session or the workload
 * identity that it was made with. Whether it has more scopes or projects is looked at with every
 * change; see `auth/rights.ts` and `auth/reach.ts`.
 */
export const makeApiKey: Behaviour<SentOf<"api_key">> = {
  make: async (creation) => ({
    ...(await mintSecret("tpk").make?.(creation)),
    origin: creation.caller.origin,
  }),
  async plan(creation) {
    const { sent, now, caller } = creation;
    const refuse = (message: string) =>
      refuseFaults([{ error: "invalid_field", path: ["expires_at"], message }]);
    const {
      expires_at: end = caller.expiresAt,
      scopes = caller.scopes,
      project_id: project = caller.keyProject,
    } = sent;
    if (end !== null && Date.parse(end) <= now.getTime()) refuse(inThePast(now));
    const isOwn = !plansForOthers(caller, creation);
    if (isOwn && end !== null && caller.expiresAt !== null && Date.parse(end) > Date.parse(caller.expiresAt))
      refuse(
        `is later than ${caller.expiresAt}, when the API key ends that makes this one: name that time or an earlier one, leave it out for the same end, or use a key that lasts longer`,
      );
    return {
      sent: {
        ...sent,
        scopes: [...scopes],
        ...(end !== null && { expires_at: end }),
        ...(project != null && { project_id: project }),
      },
    };
  },
};
