import { Metadata, type ServiceError, status } from "@grpc/grpc-js";
import { CheckFailure, ErrorResourceInitFailed } from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { Any } from "google-protobuf/google/protobuf/any_pb";
import type { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { shown } from "./secrets";

/** A step that was carried out in part: the object exists in this state, and the next run does the rest. */
export class PartialFailure extends Error {
  constructor(
    message: string,
    readonly object: { readonly id: string; readonly outputs: Struct; readonly inputs: Struct },
  ) {
    super(message);
  }
}

/**
 * A mistake in inputs. The engine prints the value of a property that is named here, even a secret one, so
 * the reason names the property.
 */
export const failureOf = (reason: string): CheckFailure => new CheckFailure().setReason(shown(reason));

/** An error as gRPC sends it. */
export function answerOf(error: unknown): Partial<ServiceError> {
  const message = shown(error instanceof Error ? error.message : String(error));
  if (!(error instanceof PartialFailure)) return { code: status.UNKNOWN, details: message };
  const { id, outputs, inputs } = error.object;
  const failed = new ErrorResourceInitFailed()
    .setId(id)
    .setProperties(outputs)
    .setInputs(inputs)
    .setReasonsList([message]);
  const detail = new Any();
  detail.pack(failed.serializeBinary(), "pulumirpc.ErrorResourceInitFailed");
  const answer = new Status().setCode(status.UNKNOWN).setMessage(message).setDetailsList([detail]);
  const metadata = new Metadata();
  metadata.add("grpc-status-details-bin", Buffer.from(answer.serializeBinary()));
  return { code: status.UNKNOWN, details: message, metadata };
}
