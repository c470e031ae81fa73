import {
  type CompiledQuery,
  type DatabaseConnection,
  DefaultQueryExecutor,
  type Dialect,
  DummyDriver,
  Kysely,
  type QueryResult,
} from "kysely";
import type { Database } from "./schema";

/**
 * A database on one connection that sends each statement at once. Kysely itself takes a connection from a
 * pool for each statement and waits for the previous answer. That costs more than most statements, and on
 * PostgreSQL a round trip for each. Whoever opened the connection closes it.
 */
export const singleConnection = (dialect: Dialect, connection: DatabaseConnection): Kysely<Database> =>
  new Kysely<Database>({
    config: { dialect },
    dialect,
    driver: new DummyDriver(),
    executor: new DirectExecutor(dialect, connection),
  });

class DirectExecutor extends DefaultQueryExecutor {
  readonly #connection: DatabaseConnection;

  constructor(dialect: Dialect, connection: DatabaseConnection) {
    super(dialect.createQueryCompiler(), dialect.createAdapter(), {
      provideConnection: (consumer) => consumer(connection),
    });
    this.#connection = connection;
  }

  override executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return this.#connection.executeQuery<R>(query);
  }
}
