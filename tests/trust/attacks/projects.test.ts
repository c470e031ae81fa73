import { apiOnEveryDatabase, notFound } from "../../support/api/expect";
import { TYPES } from "../../support/api/types";
import { execute } from "../../support/databases";
import { refusedBeside } from "../../support/refusal";

apiOnEveryDatabase("Objects of another project", (server) => {
  /** Puts objects into another project, as if it had made them. */
  const moveAway = (...ids: string[]) =>
    execute(
      server.data,
      ids.map((id) => `update resource set project_id = 'proj_other' where id = '${id}'`).join("; "),
    );

  it("do not exist, whatever their kind: by id, in lists, for changes and for references", async () => {
    // Projects and memberships belong to the account, whose admins see all of them.
    for (const type of TYPES.filter(({ prefix }) => prefix !== "proj" && prefix !== "mbr")) {
      const body = await type.body(server.rest);
      const own = await server.created(type.path, body);
      const other = await server.created(type.path, await type.body(server.rest));
      const { body: before } = await server.rest.get(`${type.path}?limit=1`);
      expect(before[type.listKey][0].id, type.name).to.equal(other.id);
      await moveAway(other.id);
      const uri = new URL(other.uri).pathname;
      const ask = (method: string, path: string) => () =>
        server.rest.request(method, path, method === "PATCH" ? {} : undefined);
      await refusedBeside({
        refused: ["GET", "PATCH", "DELETE"].map((method) => ask(method, uri)),
        as: notFound,
        allowed: ask("PATCH", new URL(own.uri).pathname),
      });
      const { body: list } = await server.rest.get(type.path);
      expect(list[type.listKey].map(({ id }: { id: string }) => id))
        .to.include(own.id)
        .and.not.to.include(other.id);
    }
  });
});
