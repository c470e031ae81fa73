import { z } from "zod";
import { defineResource } from "../core/definition";
import { conditioned, description, metadata, object, text } from "../core/fields";
import { isAddress, MAX_ADDRESS_LENGTH } from "../formats/host";
import { idleTimeout, protocol } from "../formats/upstream";

/** Static backend; fields after api-decisions "Backends, IP policies". */
export const staticBackend = defineResource({
  type: "StaticBackend",
  kind: "static_backend",
  subject: "backend",
  title: "static backend",
  doc: "Sends traffic to a fixed address.",
  path: "/backends/static",
  listKey: "backends",
  idPrefix: "bkdsc",
  readByGateways: true,
  fields: {
    description: description(),
    metadata: metadata(),
    address: conditioned(text(MAX_ADDRESS_LENGTH), (value) =>
      isAddress(value)
        ? undefined
        : 'must be "<host>:<port>", for example "10.0.0.7:8080" or "[2001:db8::7]:8080"',
    ).meta({ description: "The address that gets the traffic: `<host>:<port>`." }),
    tls: object({
      enabled: z
        .boolean()
        .default(false)
        .meta({ description: "Whether to connect to the address with TLS." }),
    })
      .default({ enabled: false })
      .meta({ description: "TLS to the address." }),
    protocol: protocol(),
    idle_timeout: idleTimeout(),
  },
  sample: { address: "10.0.0.7:8443", tls: { enabled: true } },
  example: `const legacy = new tunnels.StaticBackend("legacy", { address: "10.0.0.7:8443", tls: { enabled: true } });`,
});
