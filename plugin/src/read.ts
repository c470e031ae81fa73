import type { ReadRequest } from "@pulumi/pulumi/proto/provider_pb";
import { ReadResponse } from "@pulumi/pulumi/proto/provider_pb";

/**
 * What a read answers where nothing can be asked: what was recorded. Without an id the engine would take the
 * object for deleted.
 */
export const asRecorded = (request: ReadRequest): ReadResponse =>
  new ReadResponse()
    .setId(request.getId())
    .setProperties(request.getProperties())
    .setInputs(request.getInputs());
