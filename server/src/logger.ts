import { visible } from "@tunnelplane/sdk/node";
import { type Level, type Logger, pino } from "pino";

// Buffer the lines of requests: writing them one by one took longer than composing them, and writing every 4
// KiB still took 8 % of a GET (2026-11-22, 2 cores, Node 24). The rest is written when the process ends.
const LOG_BUFFER = { minLength: 16_000, periodicFlush: 100 } as const; // bytes (at most 16 KiB), ms

export type LogLevel = Level | "silent";

/** The log of a server: JSON lines on standard error. */
export const openLogger = (level: LogLevel): Logger =>
  pino(
    { level, name: "tunnelplane", base: undefined, timestamp: timeOfLine(), hooks: { streamWrite: visible } },
    pino.destination({ dest: 2, sync: false, ...LOG_BUFFER }),
  );

/** The time of a log line. Many lines share a millisecond, so its text is made once for all of them. */
function timeOfLine(): () => string {
  let last = 0;
  let text = "";
  return () => {
    const now = Date.now();
    if (now !== last) {
      last = now;
      text = `,"time":"${new Date(now).toISOString()}"`;
    }
    return text;
  };
}
