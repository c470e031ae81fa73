import type { FastifyInstance } from "fastify";
import type { Store } from "../storage";

/** Says that the process lives, and whether it reaches its database: to everybody, and whatever else is asked. */
export function registerHealth(app: FastifyInstance, { reader }: Store): void {
  app.get("/livez", async () => ({ status: "ok" }));
  // One look for all who ask at once: it needs no slot and takes one connection of the database at most.
  let looking: Promise<unknown> | undefined;
  app.get("/readyz", async () => {
    looking ??= reader
      .selectFrom("setting")
      .select("name")
      .limit(1)
      .execute()
      .finally(() => {
        looking = undefined;
      });
    await looking;
    return { status: "ok" };
  });
}
