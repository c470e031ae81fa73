import { createRequire } from "node:module";
import type * as services from "@pulumi/pulumi/proto/engine_grpc_pb";
import type * as messages from "@pulumi/pulumi/proto/engine_pb";

/** Pulumi's own packages: two copies of its transport would not know each other's objects. */
const requireFromPulumi = createRequire(require.resolve("@pulumi/pulumi"));

/**
 * Shows a warning in the preview or run that is under way. What a provider prints, the engine shows as a remark
 * of the stack, and drops when the run ends early; so this goes to the engine, whose address is the first
 * argument of every provider.
 *
 * @param urn of the resource that it is about
 */
export async function warn(text: string, urn: string | undefined): Promise<void> {
  const { EngineClient } = requireFromPulumi("./proto/engine_grpc_pb") as typeof services;
  const { LogRequest, LogSeverity } = requireFromPulumi("./proto/engine_pb") as typeof messages;
  const { credentials, Metadata } = requireFromPulumi("@grpc/grpc-js");
  const engine = new EngineClient(process.argv[2] ?? "", credentials.createInsecure());
  const request = new LogRequest()
    .setSeverity(LogSeverity.WARNING)
    .setMessage(text)
    .setUrn(urn ?? "");
  const failure = await new Promise((resolve) => engine.log(request, new Metadata(), { deadline: Date.now() + DEADLINE_MS }, resolve));
  engine.close();
  if (failure) console.error(`warning: ${text}`);
}

// The engine runs on the same machine and answers in milliseconds; a warning must not hold up a run.
const DEADLINE_MS = 2000;
