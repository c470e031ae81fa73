import { ERRORS } from "@tunnelplane/sdk/contract";
import { exchangedTokenShape, tokenExchangeShape } from "@tunnelplane/sdk/operations";
import type { DescribedOperation } from "./operation";

/** Exchanges an identity token for an API key. It needs no key, so it is served apart from the others. */
export const tokenOperation: DescribedOperation = {
  method: "POST",
  path: "/token",
  id: "exchangeToken",
  summary: "Exchange an identity token for an API key that soon ends (RFC 8693)",
  about: `Needs neither an API key nor Service-Version. The token's issuer, audience and claims must be those of a workload identity; of several that match, \`audience\` chooses one, by its id or its project. A token may be exchanged again until it ends. The audit log says what did not match, the answer does not (${ERRORS.refused_token.code}). The key is that of the identity's bot; it stands in no list, and ends early if the identity is changed or deleted, or the bot deactivated.`,
  tag: { name: "Token", description: "API keys for jobs that have an identity token of their own." },
  isForm: true,
  isOpen: true,
  body: tokenExchangeShape,
  success: {
    status: 200,
    answer: exchangedTokenShape,
  },
};
