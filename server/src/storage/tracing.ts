import { type SpanFacts, tracing } from "@tunnelplane/sdk/tracing";
import type { LogEvent } from "kysely";

/** A statement's kind and table, never its text or values. */
export function spanOf(sql: string): [name: string, facts: SpanFacts] {
  const operation = /^\s*(\w+)/.exec(sql)?.[1]?.toLowerCase() ?? "statement";
  const table = /\b(?:from|into|update)\s+"?(\w+)/i.exec(sql)?.[1];
  const attributes = { "db.operation.name": operation, ...(table && { "db.collection.name": table }) };
  return [table ? `${operation} ${table}` : operation, { kind: "client", attributes }];
}

/** For Kysely's own connections, which tell of a statement when it has ended. */
export const logOfReads = (): ((event: LogEvent) => void) | undefined =>
  tracing() &&
  (({ level, query, queryDurationMillis }) => {
    const tracer = tracing();
    if (!tracer?.current()) return;
    const [name, facts] = spanOf(query.sql);
    tracer.start(name, { ...facts, agoMs: queryDurationMillis }).end({ failed: level === "error" });
  });
