import type { FastifyInstance } from "fastify";
import type { ServerContext } from "../resources";

/** Answers whether the process lives and reaches its database. Needs no API key and no slot. */
export function registerHealth(app: FastifyInstance, store: ServerContext["store"]): void {
  app.get("/livez", async () => ({ status: "ok" }));
  // Requests at the same time share one query, so the checks take one database connection at most.
  let looking: Promise<unknown> | undefined;
  app.get("/readyz", async () => {
    looking ??= store.ready().finally(() => {
      looking = undefined;
    });
    await looking;
    return { status: "ok" };
  });
}
