import { z } from "zod";
import { moduleOf, type Reading, readModule } from "../judgement/reading";
import { UNRECORDED } from "../judgement/types";
import { ending, passing, refused, unsure } from "../judgement/verdicts";
import type { ModelObject } from "../model";
import { textIn } from "../values";
import type { Aspect } from "./aspect";
import { documented, showing } from "./shown";

export interface Webhook {
  /** The service whose signatures pass. */
  readonly provider: string;
}

export const readWebhook = (route: ModelObject): Reading<Webhook | null> =>
  readModule<Webhook | null>(
    moduleOf(route, "webhook_verification"),
    null,
    ({ provider }) => ({ provider: textIn(provider) ?? "" }),
    ({ provider }) => [provider],
  );

/** The check of signatures of webhooks. */
export const webhook = {
  of: { https_edge_route: true },
  prepare({ holder }) {
    const { value, unknown } = readWebhook(holder);
    if (!value && !unknown) return undefined;
    const field = "webhook_verification";
    const good = passing(holder, field, "The service signed the request.");
    const bad = ending(holder, field, "The service did not sign the request.", refused(403));
    const unrecorded = unsure(holder, field, "Whether the service signed the request is not recorded.");
    return {
      look({ request: { webhook: signed } }) {
        if (signed === UNRECORDED) return unrecorded;
        return signed === "valid" ? good : bad;
      },
      predicates: [{ dimension: "webhook", op: "valid" }],
      ...(unknown && { unknown: "Which service has to sign requests is not wholly known." }),
    };
  },
  shows: showing({
    field: "webhook",
    title: "Webhook",
    schema: () =>
      documented(
        z
          .object({ provider: z.string().meta({ description: "The service that has to sign: `github`." }) })
          .nullable(),
        "The service whose signature requests need; null if they need none.",
      ),
    read: ({ holder }) => readWebhook(holder),
    absent: null,
    exposed: (value: Webhook | null) => value,
    words: (check) => check && `signed by ${check.provider}`,
    check: (check) => check && "signature of a webhook",
  }),
} satisfies Aspect<"webhook_verification">;
