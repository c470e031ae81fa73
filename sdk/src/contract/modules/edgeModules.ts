import { z } from "zod";
import { module, notEmptyWhileEnabled, reference, references } from "../core/fields";
import type { Rule } from "../core/marks";

const listOf = (schema: z.ZodArray, doc: string) => schema.meta({ description: doc });

/** spec "EndpointBackend", "EndpointBackendMutate". */
export const backend = () =>
  module(
    { name: "EndpointBackend", doc: "The backend of the traffic." },
    {
      backend_id: reference("backend", { answeredAs: "backend" }).meta({
        description: "The backend that gets the traffic.",
      }),
    },
  );

/** spec "EndpointIPPolicy", "EndpointIPPolicyMutate". */
export const ipRestriction = () =>
  module(
    { name: "EndpointIPPolicy", doc: "Limits the source addresses that may connect." },
    {
      ip_policy_ids: listOf(
        references("ip_policy", "ip_policies"),
        "The IP policies that a source address is checked against; not empty while enabled.",
      ),
    },
    { rules: [notEmptyWhileEnabled("ip_policy_ids", "a policy")] },
  );

/** spec "EndpointMutualTLS", "EndpointMutualTLSMutate". */
export const mutualTls = () =>
  module(
    { name: "EndpointMutualTLS", doc: "Requires client certificates of certain authorities." },
    {
      certificate_authority_ids: listOf(
        references("certificate_authority", "certificate_authorities"),
        "The authorities that may have signed a client's certificate; not empty while enabled.",
      ),
    },
    { rules: [notEmptyWhileEnabled("certificate_authority_ids", "an authority")] },
  );

const upstreamHasNoVersion: Rule = function* (termination) {
  if (termination.terminate_at === "upstream" && termination.min_version != null) {
    yield {
      path: ["min_version"],
      message:
        'must be left out when `terminate_at` is "upstream": the edge does not terminate TLS there, so it cannot set a version',
    };
  }
};

const minVersion = () => z.enum(["1.2", "1.3"]);

/**
 * TLS termination of an HTTPS edge, which always terminates TLS itself (api-decisions "HTTPS edges and
 * routes").
 */
export const httpsTermination = () =>
  module(
    { name: "EndpointHTTPSTermination", doc: "Sets the lowest TLS version." },
    {
      min_version: minVersion()
        .default("1.2")
        .meta({ description: "The lowest TLS version that is accepted. Default `1.2`." }),
    },
  );

/**
 * spec "EndpointTLSTermination" and "TLS termination rules"; the default version is ours (api-decisions "TLS
 * edges").
 */
export const tlsTermination = () =>
  module(
    { name: "EndpointTLSTermination", doc: "Sets where TLS is terminated, and the lowest version." },
    {
      terminate_at: z.enum(["edge", "upstream"]).default("edge").meta({
        description:
          "Where TLS is terminated: at the `edge`, or `upstream` at the agent or server. Default `edge`.",
      }),
      min_version: minVersion().nullable().optional().meta({
        description:
          "The lowest TLS version that is accepted. Default `1.2`; null when TLS is terminated upstream.",
      }),
    },
    {
      rules: [upstreamHasNoVersion],
      fill: (termination) =>
        termination.terminate_at === "edge" && termination.min_version === undefined
          ? { ...termination, min_version: "1.2" }
          : termination,
    },
  );
