import {
  DEFAULT_PROJECT,
  type Definition,
  fieldsWhere,
  marksOf,
  modulesOf,
  registry,
  targetsOf,
} from "@tunnelplane/sdk/contract";
import {
  apiOnEveryDatabase,
  apiOnOneDatabase,
  badQuery,
  expectRefused,
  hostport,
  immutable,
  inUse,
  invalid,
  type Json,
  missingReference,
  notFound,
  type Refusal,
  unique,
  unknownId,
  wrongKind,
} from "../support/api/expect";
import { destination } from "../support/api/fixtures";
import { TYPES } from "../support/api/types";

apiOnEveryDatabase("References to an object", (server) => {
  it("are listed with their fields, page by page", async () => {
    const policy = await server.created("/ip_policies", {});
    const edges: string[] = [];
    for (let left = 0; left < 3; left++) {
      const { id } = await server.created("/edges/tls", {
        hostports: [hostport()],
        ip_restriction: { ip_policy_ids: [policy.id] },
      });
      edges.push(id);
    }
    const first = await server.read(`/references?object_id=${policy.id}&limit=2`);
    const second = await server.read(first.next_page_uri);
    const all = [...first.references, ...second.references];
    expect(all.map(({ id }: Json) => id)).to.deep.equal(edges.toReversed());
    expect(all[0]).to.deep.equal({
      ...{ id: edges[2], uri: await server.uriOf(`/edges/tls/${edges[2]}`), kind: "tls_edge" },
      fields: ["ip_restriction.ip_policy_ids[0]"],
    });
    expect(second.next_page_uri).to.equal(null);
  });

  it("are none for an object that nobody refers to, and need the id of an object", async () => {
    const policy = await server.created("/ip_policies", {});
    expect((await server.read(`/references?object_id=${policy.id}`)).references).to.deep.equal([]);
    expectRefused(await server.rest.get("/references"), badQuery);
    expectRefused(await server.rest.get("/references?object_id=nothing"), badQuery);
  });

  it("are named in the refusal to delete the object, a few of them if there are many", async () => {
    const { id, uri } = await server.created("/backends/tunnel_group", { labels: { app: "shop" } });
    const users: string[] = [];
    for (let count = 0; count < 7; count++)
      users.push((await server.created("/edges/tls", { backend: { backend_id: id } })).id);
    const refused = await server.unchangedBy(uri, () => server.rest.delete(uri));
    expectRefused(refused, inUse("and others"));
    expect(users.filter((user) => refused.text.includes(user))).to.have.length(5);
  });

  it("are left out where the caller may not see them", async () => {
    const { bot, rest: member } = await server.member();
    const target = await server.created("/event_destinations", destination());
    const credential = await server.created("/credentials", {});
    await server.created("/event_subscriptions", {
      sources: [{ type: "ip_policy_created.v0" }],
      destination_ids: [target.id],
    });
    expect((await server.read(`/references?object_id=${target.id}`)).references).to.have.lengthOf(1);
    expect((await member.get(`/references?object_id=${target.id}`)).body.references).to.deep.equal([]);
    expect((await member.get(`/references?object_id=${credential.owner_id}`)).status).to.equal(400);
    const other = await server.created("/credentials", { owner_id: bot.id });
    const owned = (await member.get(`/references?object_id=${bot.id}`)).body.references.map(
      ({ id }: Json) => id,
    );
    expect(owned).to.include(other.id);
  });
});

type Place = { readonly module?: string; readonly field: string; readonly marks: ReturnType<typeof marksOf> };

/** The schemas of the fields inside a schema of an object. */
const shapeOf = (schema: object): Record<string, object> => {
  if ("shape" in schema) return schema.shape as Record<string, object>;
  return "unwrap" in schema ? shapeOf((schema.unwrap as () => object)()) : {};
};

/** Where objects of a type name others; that of a parent is in their path, and teams test projects. */
function placesOf(definition: Definition): Place[] {
  const among = (fields: Record<string, object>, module?: string): Place[] =>
    Object.entries(fields).flatMap(([field, schema]) => {
      const marks = marksOf(schema as never);
      const isOther = marks.reference && !definition.path.includes(`{${field}}`) && field !== "project_id";
      return isOther ? [{ field, marks, ...(module && { module }) }] : [];
    });
  const inModules = modulesOf(definition).map((name) =>
    among(shapeOf(definition.fields[name] as object), name),
  );
  return [...among(definition.fields), ...inModules.flat()];
}

const BOT = { path: "/bot_users", body: () => ({ name: unique("bot") }) };

apiOnOneDatabase("What an object refers to", (server) => {
  const newTarget = async ({ path }: Definition) => {
    const type = TYPES.find((one) => one.path === path) ?? BOT;
    return server.created(path, await type.body(server.rest));
  };

  for (const type of TYPES) {
    const { definition } = type;
    for (const { module, field, marks } of placesOf(definition)) {
      const { to, answeredAs = field, cascade } = marks.reference ?? { to: [] };
      const name = module ? `${module}.${field}` : field;

      it(`${type.name} takes for ${name} what exists and is of the right kind, which is not deleted before it`, async () => {
        for (const [index, kind] of targetsOf(to).entries()) {
          const target = await newTarget(kind);
          const body = await type.body(server.rest);
          const isMap = name === "backends" && !Array.isArray(body[field]);
          const isList = !isMap && (field.endsWith("_ids") || Array.isArray(body[field]));
          const naming = (...ids: unknown[]) =>
            isMap ? Object.fromEntries(ids.map((id) => [id, 1])) : isList ? ids : ids.at(-1);
          const inBody = (value: unknown): Json => ({
            [module ?? field]: module ? { [field]: value } : value,
          });
          const user = await server.created(type.path, { ...body, ...inBody(naming(target.id)) });
          const shown = answeredAs === field ? target.id : { id: target.id, uri: target.uri };
          const answered = (module ? user[module] : user)[answeredAs];
          expect(answered).to.deep.equal(naming(shown));
          if (index === 0) {
            const refused = async (
              id: unknown,
              refusal: (at: string) => Refusal,
              whole = naming(target.id, id),
            ) => {
              const at = isList && Array.isArray(whole) ? `${field}[1]` : field;
              const place = isMap ? undefined : module ? `${module}.${at}` : at;
              const expected = { ...refusal(""), field: place };
              expectRefused(await server.rest.post(type.path, { ...body, ...inBody(whole) }), expected);
              const patch = () => server.rest.patch(user.uri, { description: "x", ...inBody(whole) });
              await server.unchangedBy(user.uri, patch, marks.immutable ? immutable(field) : expected);
              if (module)
                expectRefused(await server.rest.put(`${user.uri}/${module}`, { [field]: whole }), {
                  ...expected,
                  field: at,
                });
            };
            const ghost = unknownId(kind.idPrefix);
            await refused(ghost, (at) => missingReference(at));
            const other = await server.created(
              kind.kind === "ip_policy" ? "/credentials" : "/ip_policies",
              {},
            );
            await refused(other.id, wrongKind);
            if (!to.includes("user")) await refused("usr_x", wrongKind);
            if (!to.includes("project")) await refused(DEFAULT_PROJECT.id, wrongKind);
            if (!isMap) for (const wrong of [5, true, { id: target.id }]) await refused(wrong, invalid);
            if (module)
              expectRefused(
                await server.rest.put(`${user.uri}/${module}`, { enabled: true }),
                invalid(field),
              );
          }
          const newest = (await server.read(`${type.path}?limit=1`))[type.listKey][0];
          expect(newest.id, "nothing is stored").to.equal(user.id);
          if (cascade) {
            expect((await server.rest.delete(target.uri)).status).to.equal(204);
            expectRefused(await server.rest.get(user.uri), notFound);
            continue;
          }
          await server.unchangedBy(target.uri, () => server.rest.delete(target.uri), inUse(user.id));
          expect((await server.rest.delete(user.uri)).status).to.equal(204);
          expect((await server.rest.delete(target.uri)).status).to.equal(204);
        }
      });
    }
  }
});

describe("The contract", () => {
  it("has no reference to objects that some may not see, except owner_id and project_id, which have checks of their own", () => {
    // A reference to such an object would show a member that it exists. To add one, hide it in
    // resolveReferences first.
    const revealing = registry.flatMap((definition) =>
      fieldsWhere(definition, (marks) => marks.reference)
        .filter((field) =>
          targetsOf(marksOf(definition.fields[field] as never).reference?.to ?? []).some(
            ({ access }) => access !== "everyone" && access !== definition.access,
          ),
        )
        .map((field) => `${definition.kind}.${field}`),
    );
    expect(revealing.filter((field) => !/\.(owner|project)_id$/.test(field))).to.deep.equal([]);
    const owned = registry.filter(({ access }) => access === "owner").map(({ kind }) => kind);
    expect(owned).to.have.members(["api_key", "tunnel_credential", "ssh_credential"]);
  });
});
