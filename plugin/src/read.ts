import type { ReadRequest } from "@pulumi/pulumi/proto/provider_pb";
import { ReadResponse } from "@pulumi/pulumi/proto/provider_pb";

/**
 * The answer to a read without a server: the recorded state. Without an id the engine would take the object
 * for deleted.
 */
export const asRecorded = (request: ReadRequest): ReadResponse =>
  new ReadResponse()
    .setId(request.getId())
    .setProperties(request.getProperties())
    .setInputs(request.getInputs());
