import { traced, tracing } from "@tunnelplane/sdk/tracing";
import {
  type CompiledQuery,
  type DatabaseConnection,
  DefaultQueryExecutor,
  type Dialect,
  DummyDriver,
  Kysely,
  type QueryResult,
} from "kysely";
import type { Lane } from "./lanes";
import type { Database } from "./schema";
import { spanOf } from "./tracing";

/**
 * A database on one connection that sends each statement at once. Kysely itself takes a connection from a
 * pool for each statement and waits for the previous answer. That costs more than most statements, and on
 * PostgreSQL a round trip for each. The caller closes the connection.
 */
export const singleConnection = (dialect: Dialect, connection: DatabaseConnection): Kysely<Database> =>
  new Kysely<Database>(direct(dialect, connection));

const direct = (dialect: Dialect, connection: DatabaseConnection) => ({
  config: { dialect },
  dialect,
  driver: new DummyDriver(),
  executor: new DirectExecutor(dialect, connection),
});

/** The facts about a transaction. */
interface TransactionFacts {
  /**
   * Whether the work runs again, not optimistic then, if a constraint of the database refuses it. So checks
   * that a constraint makes too may be left to it.
   */
  readonly isOptimistic: boolean;
  /** The lane of its rows for the journal. SQLite has none: its writers take turns. */
  readonly lane: Lane | undefined;
}

/** A transaction in progress, on a connection that it has for itself. */
export class Transaction extends Kysely<Database> {
  constructor(
    dialect: Dialect,
    connection: DatabaseConnection,
    readonly facts: TransactionFacts,
  ) {
    super(direct(dialect, connection));
  }
}

class DirectExecutor extends DefaultQueryExecutor {
  readonly #connection: DatabaseConnection;

  constructor(dialect: Dialect, connection: DatabaseConnection) {
    super(dialect.createQueryCompiler(), dialect.createAdapter(), {
      provideConnection: (consumer) => consumer(connection),
    });
    this.#connection = connection;
  }

  override executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (!tracing()?.current()) return this.#connection.executeQuery<R>(query);
    return traced(...spanOf(query.sql), () => this.#connection.executeQuery<R>(query));
  }
}
