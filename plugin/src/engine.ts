import { credentials } from "@grpc/grpc-js";
import { EngineClient } from "@pulumi/pulumi/proto/engine_grpc_pb";
import { LogRequest, LogSeverity } from "@pulumi/pulumi/proto/engine_pb";
import { tell } from "@tunnelplane/pulumi/engine";

/** Shows messages in the run of the engine at an address. */
export const tellerAt =
  (address: string) =>
  (severity: "WARNING" | "INFO", text: string, urn: string | undefined): Promise<void> =>
    tell({ EngineClient, LogRequest, LogSeverity, insecure: credentials.createInsecure() }, address, {
      severity,
      text,
      urn,
    });
