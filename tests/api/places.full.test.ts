import type { Definition, Role } from "@tunnelplane/sdk/contract";
import { DEFAULT_PROJECT, definitionNamed, PROJECT_ROLES, registry } from "@tunnelplane/sdk/contract";
import { apiOnEveryDatabase, unique, unknownId } from "../support/api/expect";
import { TYPES } from "../support/api/types";
import { Rest, type RestAnswer } from "../support/rest";
import { type Endpoint, endpointsIn, expectRefusedUnlikeAdmin, holds } from "../support/rights";

type Json = RestAnswer["body"];
/** Where an object is, as a caller with a role in `own` alone sees it. */
const PLACES = ["own", "other", "shared"] as const;
type Place = (typeof PLACES)[number];
const STALE = { "if-match": '"no version"' };

apiOnEveryDatabase("The rights of a caller with a role in one project", (server) => {
  const projects = {} as Record<Place, Json>;
  const clients = {} as Record<Place, Rest>;
  const objects = new Map<string, Record<Place, string>>();
  let endpoints: Endpoint[];
  let others: Endpoint[];

  before("make one object of each kind in each project", async () => {
    const all = endpointsIn((await server.rest.get("/openapi.json")).body);
    endpoints = all.filter(({ kind, path }) => kind && path.includes("{id}"));
    others = all.filter((one) => !endpoints.includes(one));
    for (const place of PLACES) {
      projects[place] = await server.created("/projects", {
        name: unique(place),
        shared: place === "shared",
      });
      clients[place] = server.rest.inside(projects[place].name);
    }
    for (const definition of registry) {
      const paths = {} as Record<Place, string>;
      for (const place of PLACES) paths[place] = await objectIn(place, definition);
      objects.set(definition.kind, paths);
    }
  });

  async function objectIn(place: Place, { kind, idPrefix }: Definition): Promise<string> {
    const project = projects[place].id;
    if (kind === "project") return `/projects/${project}`;
    const rest = clients[place];
    if (kind === "bot_user") return pathOf(await made(rest.post("/bot_users", { name: unique("bot") })));
    if (kind === "membership")
      return pathOf(
        await made(
          rest.post("/memberships", { project_id: project, role: "viewer", group: unique("group") }),
        ),
      );
    const type = TYPES.find(({ prefix }) => prefix === idPrefix);
    if (!type) throw new Error(`tests/support/api/types.ts has no row for ${kind}`);
    const body = await type.body(rest);
    if (!type.path.includes("{edge_id}")) return pathOf(await made(rest.post(type.path, body)));
    const edge = await made(rest.post("/edges/https", { hostports: [`${unique("h")}.example.com:443`] }));
    return pathOf(await made(rest.post(type.path.replace("{edge_id}", edge.id), body)));
  }

  const made = async (answer: Promise<RestAnswer>): Promise<Json> => {
    const { status, text, body } = await answer;
    expect(status, text).to.equal(201);
    return body;
  };
  const pathOf = ({ uri }: Json): string => new URL(uri).pathname;
  const at = ({ path, kind }: Endpoint, object: string): string => {
    const { path: collection } = definitionNamed(kind ?? "");
    const below = path.slice(collection.length);
    const parent = collection.includes("{") ? object.slice(0, object.lastIndexOf("/")) : collection;
    return (parent + below).replace("{id}", object.split("/").at(-1) ?? "").replaceAll(/\{\w+\}/g, "unknown");
  };

  const send = (rest: Rest, { method }: Endpoint, path: string): Promise<RestAnswer> =>
    rest.request(
      method,
      path,
      ["POST", "PUT", "PATCH"].includes(method) ? {} : undefined,
      ["PUT", "PATCH", "DELETE"].includes(method) ? STALE : {},
    );

  const withoutIds = ({ status, text }: RestAnswer): string =>
    `${status} ${text.replaceAll(/[a-z]+_[0-9A-Za-z]{27}/g, "ID").replaceAll(/"(uri|next_page_uri)":"[^"]*"/g, "")}`;

  const callerOf = async (role: Role): Promise<Rest> => {
    const bot = await made(clients.own.post("/bot_users", { name: unique(role), role: "viewer" }));
    if (role !== "viewer")
      await server.created("/memberships", { project_id: projects.own.id, role, bot_user_id: bot.id });
    const { token } = await server.created("/api_keys", { owner_id: bot.id });
    return new Rest(server.url, token);
  };

  for (const role of PROJECT_ROLES)
    it(`as its ${role}: what the role allows there, nothing in another project, and in a shared one to read what it lends`, async () => {
      const rest = await callerOf(role);
      const wrong: string[] = [];
      for (const endpoint of endpoints) {
        const definition = definitionNamed(endpoint.kind ?? "");
        const paths = objects.get(definition.kind);
        if (!paths) throw new Error(`no objects of ${definition.kind}`);
        // Neither it nor its parent exists.
        const ghost = paths.own.replaceAll(/([a-z]+)_[0-9A-Za-z]{27}/g, (_, prefix) => unknownId(prefix));
        const unknown = await send(rest, endpoint, at(endpoint, ghost));
        const isAllowed = holds(endpoint.row[role], endpoint.permission) && !endpoint.ofAccount;
        const isLent = definition.access === "everyone";
        for (const place of PLACES) {
          const answer = await send(rest, endpoint, at(endpoint, paths[place]));
          const said = `${endpoint.method} ${endpoint.path} in ${place}: ${withoutIds(answer).slice(0, 200)}`;
          if (!isAllowed) {
            if (answer.status !== 403) wrong.push(said);
            else
              await expectRefusedUnlikeAdmin(answer, () =>
                send(clients[place], endpoint, at(endpoint, ghost)),
              );
          } else if (place === "shared" && (isLent || definition.kind === "project")) {
            const isRead = endpoint.permission === "read" || definition.kind === "project";
            if (isRead ? answer.status === 403 : ![400, 403].includes(answer.status)) wrong.push(said);
          } else if (place === "own") {
            const seesIt = definition.access !== "owner" || role !== "member";
            const isHidden = withoutIds(answer) === withoutIds(unknown) && unknown.status === 404;
            if (answer.status === 403 ? role !== "admin" : seesIt && isHidden) wrong.push(said);
          } else if (withoutIds(answer) !== withoutIds(unknown))
            wrong.push(`${said}, and for what does not exist: ${withoutIds(unknown).slice(0, 200)}`);
        }
      }
      expect(wrong, wrong.join("\n")).to.deep.equal([]);
    });

  it("at every other endpoint is what its role allows there, and nothing of the account", async () => {
    for (const role of PROJECT_ROLES) {
      const rest = await callerOf(role);
      for (const { method, path, permission, row, ofAccount } of others) {
        const filled = path
          .replace("{edge_id}", unknownId("edghts"))
          .replace("{id}", unknownId("ev"))
          .replaceAll(/\{\w+\}/g, "unknown");
        const body = ["POST", "PUT", "PATCH"].includes(method) ? { unknown_field: 1 } : undefined;
        const answer = await rest.request(method, filled, body);
        const { status, text } = answer;
        const isAllowed = holds(row[role], permission) && !ofAccount;
        const said = `${role} ${method} ${path} ${status} ${text.slice(0, 200)}`;
        if (isAllowed) expect(status, said).to.be.oneOf([200, 204, 400, 404]);
        else await expectRefusedUnlikeAdmin(answer, () => server.rest.request(method, filled, body));
      }
    }
  });

  it("lists show its project alone, and what shared ones lend where that is asked for", async () => {
    const rest = await callerOf("viewer");
    for (const definition of registry) {
      const paths = objects.get(definition.kind);
      if (!paths) continue;
      const listed = async (place: Place, query = "") => {
        const list = await rest.get(`${paths[place].slice(0, paths[place].lastIndexOf("/"))}${query}`);
        const ids: string[] | undefined = list.body[definition.listKey]?.map(({ id }: Json) => id);
        return { status: list.status, ids };
      };
      const idIn = (place: Place) => paths[place].split("/").at(-1);
      const { ids = [] } = await listed("own");
      expect(ids, definition.kind).to.include(idIn("own")).and.not.to.include(idIn("other"));
      if (definition.kind !== "project") expect(ids, definition.kind).not.to.include(idIn("shared"));
      expect((await listed("other")).ids ?? [], definition.kind).not.to.include(idIn("other"));
      if (definition.access !== "everyone") continue;
      const all = await listed(definition.path.includes("{") ? "shared" : "own", "?shared=true");
      expect(all.ids, definition.kind).to.include(idIn("shared")).and.not.to.include(idIn("other"));
    }
    expect((await rest.get("/projects")).body.projects.map(({ id }: Json) => id)).not.to.include(
      DEFAULT_PROJECT.id,
    );
  });
});
