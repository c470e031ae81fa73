// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.
import type * as pulumi from "@pulumi/pulumi";
import { isOfType, Resource } from "../host/resource";

/** The arguments of an HTTP-response backend. */
export interface HttpResponseBackendArgs {
  /** A description for people. At most 255 bytes. */
  description?: pulumi.Input<string>;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata?: pulumi.Input<string>;

  /** The body of the response. */
  body?: pulumi.Input<string>;

  /** Headers of the response. Names and values as in RFC 9110, a value of at most 8192 bytes; not connection, content-length, host, keep-alive, proxy-connection, te, trailer, transfer-encoding, upgrade. */
  headers?: pulumi.Input<Record<string, pulumi.Input<string>>>;

  /** The status of the response, 200 to 599. Default `200`. */
  statusCode?: pulumi.Input<number>;
}

/**
 * Answers every request with the same response, for example a maintenance page.
 *
 * @example
 * ```ts
 * const maintenance = new tunnels.HttpResponseBackend("maintenance", {
 *   statusCode: 503,
 *   headers: { "retry-after": "600" },
 *   body: "back in ten minutes",
 * });
 * ```
 */
export class HttpResponseBackend extends Resource {
  /** A description for people. At most 255 bytes. */
  declare readonly description: pulumi.Output<string>;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  declare readonly metadata: pulumi.Output<string>;

  /** The body of the response. */
  declare readonly body: pulumi.Output<string>;

  /** Headers of the response. Names and values as in RFC 9110, a value of at most 8192 bytes; not connection, content-length, host, keep-alive, proxy-connection, te, trailer, transfer-encoding, upgrade. */
  declare readonly headers: pulumi.Output<Record<string, string>>;

  /** The status of the response, 200 to 599. Default `200`. */
  declare readonly statusCode: pulumi.Output<number>;

  /** Address of this object. */
  declare readonly uri: pulumi.Output<string>;

  /** When it was created (RFC 3339). */
  declare readonly createdAt: pulumi.Output<string>;

  /** @param args the declared properties; see {@link HttpResponseBackendArgs} */
  constructor(name: string, args: HttpResponseBackendArgs = {}, options?: pulumi.CustomResourceOptions) {
    super({ kind: "http_response_backend", type: "HttpResponseBackend", properties: ["description", "metadata", "body", "headers", "statusCode", "uri", "createdAt"], secrets: [] }, name, args, options);
  }

  /** Reads an existing object by its id, without managing it. */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options?: pulumi.CustomResourceOptions): HttpResponseBackend {
    return new HttpResponseBackend(name, {} as HttpResponseBackendArgs, { ...options, id });
  }

  /** Whether something is such a resource, of this package or of the native provider. Policies ask by type: `validateResourceOfType(tunnels.HttpResponseBackend, …)`. */
  static override isInstance(resource: unknown): resource is HttpResponseBackend {
    return isOfType(resource, "HttpResponseBackend");
  }
}
