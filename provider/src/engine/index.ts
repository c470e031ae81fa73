import { setTimeout as sleep } from "node:timers/promises";
import type { EngineClient } from "@pulumi/pulumi/proto/engine_grpc_pb";
import type { LogRequest, LogSeverity } from "@pulumi/pulumi/proto/engine_pb";
import { visible } from "@tunnelplane/sdk/node";

interface Message {
  readonly severity: "WARNING" | "INFO";
  readonly text: string;
  /** The resource that it is about. */
  readonly urn: string | undefined;
}

/**
 * The parts of Pulumi's transport that warnings go through. Two copies of them would not know each other's
 * objects.
 */
export interface EngineApi {
  readonly EngineClient: typeof EngineClient;
  readonly LogRequest: typeof LogRequest;
  readonly LogSeverity: typeof LogSeverity;
  readonly insecure: ConstructorParameters<typeof EngineClient>[1];
}

// The engine runs on the same machine and answers in milliseconds; a warning must not hold up a run.
const DEADLINE_MS = 2000;

/**
 * Shows a message in the current preview or run. The engine shows a provider's printed output as info of the
 * stack, and drops it when the run ends early. So this calls the engine.
 *
 * @param address of the engine, which is the first argument of every provider
 */
export async function tell(
  api: EngineApi,
  address: string,
  { severity, text: given, urn }: Message,
): Promise<void> {
  const text = visible(given);
  const engine = new api.EngineClient(address, api.insecure);
  const request = new api.LogRequest()
    .setSeverity(api.LogSeverity[severity])
    .setMessage(text)
    .setUrn(urn ?? "");
  const logged = new Promise<boolean>((resolve) => engine.log(request, (error) => resolve(!error)));
  const wasLogged = await Promise.race([logged, sleep(DEADLINE_MS, false, { ref: false })]);
  engine.close();
  if (!wasLogged) console.error(`${severity.toLowerCase()}: ${text}`);
}
