import { Job, type JobOptions } from "@tunnelplane/sdk/jobs";
import type { Logger } from "pino";
import type { Certificates } from "../acme";
import { forgetEndedSessions, type KeyUses } from "../auth";
import { pruneEvents } from "../events";
import { endSilentSessions, forgetSilentGateways } from "../gateways";
import { forgetEndedKeys } from "../identities";
import { forgetAnswers, type ServerContext, sendExpiredEvents } from "../resources";
import { bringBackTimes } from "./times";

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

interface Tools {
  /** Its store wakes those who wait for changes. */
  readonly context: ServerContext;
  readonly keyUses: KeyUses;
  readonly certificates: Certificates;
  /** Days to keep delivered events. */
  readonly eventRetention: number;
  readonly logHead: () => Promise<void>;
  readonly logger: Logger;
}

interface Listed extends JobOptions {
  /** Whether it begins with the server. Default: after the first interval. */
  readonly atOnce?: true;
  /** How bad a failure is. Default: `warn`. */
  readonly level?: "error" | "warn";
}

/** Begins what a server does in the background, besides delivering events, the event log and guarantees. */
export const startJobs = (tools: Tools): Job[] =>
  jobsOf(tools).map(({ atOnce, level = "warn", ...options }) => {
    const onError = (error: unknown, message: string) => tools.logger[level]({ err: error }, message);
    const job = new Job({ ...options, onError }).start();
    if (atOnce) job.wake();
    return job;
  });

function jobsOf({ context, keyUses, certificates, eventRetention, logHead }: Tools): Listed[] {
  const { store } = context;
  const startedAt = Date.now();
  return [
    {
      name: "bring back times that lie too far ahead",
      everyMs: 15 * SECOND_MS,
      atOnce: true,
      level: "error",
      work: () => bringBackTimes(store),
    },
    {
      name: "send the events of objects that have ended",
      everyMs: 500,
      atOnce: true,
      level: "error",
      work: () => sendExpiredEvents(context),
    },
    {
      name: "order certificates",
      everyMs: 500,
      atOnce: true,
      level: "error",
      work: () => certificates.work(),
    },
    {
      name: "end the sessions of gateways that are silent",
      everyMs: 5 * SECOND_MS,
      work: () => endSilentSessions(context, Date.now(), startedAt),
    },
    { name: "note which API keys were used", everyMs: MINUTE_MS, work: () => keyUses.write() },
    { name: "forget kept answers", everyMs: 10 * MINUTE_MS, work: () => store.write(forgetAnswers) },
    {
      name: "forget exchanged keys that ended",
      everyMs: 10 * MINUTE_MS,
      work: () => store.write(forgetEndedKeys),
    },
    {
      name: "forget sessions that ended",
      everyMs: 10 * MINUTE_MS,
      work: () => store.write(forgetEndedSessions),
    },
    { name: "forget gateways", everyMs: HOUR_MS, work: () => store.write(forgetSilentGateways) },
    {
      name: "prune old events",
      everyMs: HOUR_MS,
      work: () => pruneEvents(store, new Date(Date.now() - eventRetention * DAY_MS)),
    },
    { name: "read the end of the audit log", everyMs: DAY_MS, work: logHead },
  ];
}
