import { SECRET_MISSING, type SentOf } from "@tunnelplane/sdk/contract";
import { refuseFaults } from "../../util";
import type { Behaviour } from "./behaviour";

/** A new route that checks webhooks needs the secret: there is none that could stay. */
export const requireWebhookSecret: Behaviour<SentOf<"https_edge_route">> = async ({ sent }) => {
  const { webhook_verification: module } = sent;
  if (module && !module.secret)
    refuseFaults([
      { error: "invalid_field", path: ["webhook_verification", "secret"], message: SECRET_MISSING },
    ]);
  return {};
};
