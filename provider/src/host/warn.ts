import { createRequire } from "node:module";
import type * as services from "@pulumi/pulumi/proto/engine_grpc_pb";
import type * as messages from "@pulumi/pulumi/proto/engine_pb";

/** Loads gRPC from where Pulumi does: objects of a second copy would not be recognized. */
const requireFromPulumi = createRequire(require.resolve("@pulumi/pulumi"));

/**
 * Shows a warning in the current preview or run. The engine shows a provider's printed output as info of the stack, and drops
 * it when the run ends early. So this calls the engine, whose address is the first argument of every provider.
 *
 * @param urn the resource that the warning is about
 */
export const warn = (text: string, urn: string | undefined): Promise<void> => tell("WARNING", text, urn);

/** The same for what is no warning. */
export const inform = (text: string, urn: string | undefined): Promise<void> => tell("INFO", text, urn);

async function tell(severity: "WARNING" | "INFO", text: string, urn: string | undefined): Promise<void> {
  const { EngineClient } = requireFromPulumi("./proto/engine_grpc_pb") as typeof services;
  const { LogRequest, LogSeverity } = requireFromPulumi("./proto/engine_pb") as typeof messages;
  const { credentials, Metadata } = requireFromPulumi("@grpc/grpc-js");
  const engine = new EngineClient(process.argv[2] ?? "", credentials.createInsecure());
  const request = new LogRequest()
    .setSeverity(LogSeverity[severity])
    .setMessage(text)
    .setUrn(urn ?? "");
  const failure = await new Promise((resolve) => engine.log(request, new Metadata(), { deadline: Date.now() + DEADLINE_MS }, resolve));
  engine.close();
  if (failure) console.error(`${severity.toLowerCase()}: ${text}`);
}

// The engine runs on the same machine and answers in milliseconds; a warning must not hold up a run.
const DEADLINE_MS = 2000;
