import { createRequire } from "node:module";
import type * as services from "@pulumi/pulumi/proto/engine_grpc_pb";
import type * as messages from "@pulumi/pulumi/proto/engine_pb";
import { tell } from "../engine";

/** Shows a warning in the current preview or run. */
export const warn = (text: string, urn: string | undefined): Promise<void> =>
  tellEngine("WARNING", text, urn);

/** Shows information that is not a warning. */
export const inform = (text: string, urn: string | undefined): Promise<void> => tellEngine("INFO", text, urn);

/**
 * Loads gRPC from where Pulumi does: objects of a second copy would not be recognized. Only when there is
 * something to tell.
 */
function tellEngine(severity: "WARNING" | "INFO", text: string, urn: string | undefined): Promise<void> {
  const requireFromPulumi = createRequire(require.resolve("@pulumi/pulumi"));
  const { EngineClient }: typeof services = requireFromPulumi("./proto/engine_grpc_pb");
  const { LogRequest, LogSeverity }: typeof messages = requireFromPulumi("./proto/engine_pb");
  const insecure = requireFromPulumi("@grpc/grpc-js").credentials.createInsecure();
  return tell({ EngineClient, LogRequest, LogSeverity, insecure }, process.argv[2] ?? "", {
    severity,
    text,
    urn,
  });
}
