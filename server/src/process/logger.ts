import { visible } from "@tunnelplane/sdk/node";
import { type Level, type Logger, pino } from "pino";

// Buffer the lines of requests: writing them one by one took longer than composing them, and writing every 4
// KiB still took 8 % of a GET (2026-11-22, 2 cores, Node 24). The rest is written when the process ends.
const LOG_BUFFER = { minLength: 16_000, periodicFlush: 100 } as const; // bytes (at most 16 KiB), ms
// Beside other processes, at most what Linux writes to a pipe in one piece (PIPE_BUF): lines stay whole.
const SHARED_LOG_BUFFER = { ...LOG_BUFFER, minLength: 4_000, maxWrite: 4_096 } as const;

export type LogLevel = Level | "silent";

/**
 * The log of a server: JSON lines on standard error.
 * @param isShared whether other processes write there too
 */
export const openLogger = (level: LogLevel, isShared: boolean): Logger =>
  pino(
    { level, name: "tunnelplane", base: undefined, timestamp: timeOfLine(), hooks: { streamWrite: visible } },
    pino.destination({ dest: 2, sync: false, ...(isShared ? SHARED_LOG_BUFFER : LOG_BUFFER) }),
  );

/**
 * Resolves when all lines are written, or cannot be written because the pipe was closed. Call it before the
 * process exits: sonic-boom writes the rest at the exit, and tries for ever if the pipe was just closed.
 */
export const flushed = (logger: Logger): Promise<void> =>
  new Promise((resolve) => logger.flush(() => resolve()));

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
