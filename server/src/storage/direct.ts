import {
  type CompiledQuery,
  type DatabaseConnection,
  DefaultQueryExecutor,
  type Dialect,
  type Driver,
  DummyDriver,
  Kysely,
  type QueryResult,
} from "kysely";
import type { Database } from "./schema";

/**
 * A database on one connection, which gets each statement at once. Kysely's own way takes the connection from a pool for each, and has
 * it wait for the answer to the one before: that costs more than most statements take, and PostgreSQL a round trip for each.
 *
 * @param driver what is destroyed along with the database, if anything is
 */
export const singleConnection = (dialect: Dialect, connection: DatabaseConnection, driver: Driver = new DummyDriver()): Kysely<Database> =>
  new Kysely<Database>({ config: { dialect }, dialect, driver, executor: new DirectExecutor(dialect, connection) });

class DirectExecutor extends DefaultQueryExecutor {
  readonly #connection: DatabaseConnection;

  constructor(dialect: Dialect, connection: DatabaseConnection) {
    super(dialect.createQueryCompiler(), dialect.createAdapter(), { provideConnection: (consumer) => consumer(connection) });
    this.#connection = connection;
  }

  override executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return this.#connection.executeQuery<R>(query);
  }
}
