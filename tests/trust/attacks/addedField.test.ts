import { join } from "node:path";
import { type Definition, embeddedIn, modulesOf, pathFieldsOf, registry } from "@tunnelplane/sdk/contract";
import { expect } from "chai";
import { execute, onEveryDatabase, rowsIn, type Start } from "../../support/databases";
import { Promises } from "../../support/promises";
import { Rest, type RestAnswer } from "../../support/rest";
import { run, type ServerProcess } from "../../support/server";

const RELEASE = join(__dirname, "../release/database.backup");
const MORE_FIELDS = { NODE_OPTIONS: `--require=${join(__dirname, "addedFields.cjs")}` };
/** Modules that refer to nothing. */
const SENT_AS_ANSWERED = ["tls_termination", "oidc", "user_agent_filter"];

type Json = RestAnswer["body"];

/** A client that checks every answer against the server's own OpenAPI document. */
class Checked {
  private constructor(
    private readonly rest: Rest,
    private readonly promises: Promises,
  ) {}

  static async of({ url, apiKey }: ServerProcess): Promise<Checked> {
    const rest = new Rest(url, apiKey);
    return new Checked(rest, new Promises((await rest.get("/openapi-wire.json")).body));
  }

  async request(
    method: string,
    uri: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<RestAnswer> {
    const answer = await this.rest.request(method, uri, body, headers);
    expect(this.promises.fault(`${method} ${uri}`, answer), `${method} ${uri} → ${answer.text}`).to.equal(
      undefined,
    );
    expect(answer.status, `${method} ${uri} → ${answer.text}`).to.equal(200);
    return answer;
  }

  read = async (uri: string): Promise<Json> => (await this.request("GET", uri)).body;

  /** Every object of a kind; checks the pages too. */
  async all(definition: Definition): Promise<Json[]> {
    const parents =
      pathFieldsOf(definition).length > 0 ? (await this.read("/edges/https")).https_edges : [undefined];
    const lists = await Promise.all(
      parents.map((parent: Json) =>
        this.read(parent ? definition.path.replace(/\{\w+\}/, parent.id) : definition.path),
      ),
    );
    return lists.flatMap((list) => list[definition.listKey]);
  }
}

onEveryDatabase("A database of the last release", (start, database) => {
  let data: string;

  before("restore it", async () => {
    data = await database.create();
    const { code, err } = await run(data, "restore", RELEASE);
    expect(code, err).to.equal(0);
  });

  const served = async (
    work: (api: Checked, server: ServerProcess) => Promise<void>,
    options: Parameters<Start>[0] = {},
  ) => {
    const server = await start({ data, ...options });
    try {
      await work(await Checked.of(server), server);
    } finally {
      await server.stop();
    }
  };

  /** Runs an action on every object of every type. */
  const eachObject = async (
    api: Checked,
    attempt: (definition: Definition, object: Json) => Promise<void>,
  ) => {
    const kinds = new Set<string>();
    for (const definition of registry)
      for (const object of await api.all(definition)) {
        kinds.add(definition.kind);
        await attempt(definition, object);
      }
    const stored = ((await rowsIn(data, "select distinct kind from resource")) as { kind: string }[]).map(
      ({ kind }) => kind,
    );
    expect([...kinds], "types of the last release").to.have.members(stored);
  };

  it("is answered as in today's OpenAPI document: every object, module and list", () =>
    served((api) =>
      eachObject(api, async (definition, object) => {
        expect(await api.read(object.uri)).to.deep.equal(object);
        for (const name of modulesOf(definition))
          if (object[name] !== null)
            expect(await api.read(`${object.uri}/${name}`)).to.deep.equal(object[name]);
      }),
    ));

  it("has a `server_id`, which is the same after each start", async () => {
    const ids: string[] = [];
    for (let starts = 0; starts < 2; starts++)
      await served(async (api) => void ids.push((await api.read("/caller")).server_id));
    expect(ids[0]).to.match(/^ac_[0-9A-Za-z]{27}$/);
    expect(ids[1]).to.equal(ids[0]);
  });

  it("can be changed by this version, object by object, and keeps all other fields", () =>
    served((api) =>
      eachObject(api, async ({ fields }, object) => {
        const change =
          "description" in fields ? { description: "by this version" } : { name: "named by this version" };
        const { body } = await api.request("PATCH", object.uri, change);
        expect(body).to.deep.equal({ ...(await api.read(object.uri)), ...change });
        expect(body).to.deep.equal({ ...object, ...change, ...childrenOf(body) });
      }),
    ));

  it("answers the default of fields that were added since, in types, modules and entries of lists", () =>
    served(
      (api) =>
        eachObject(api, async (definition, object) => {
          expect(object).to.include({ added_choice: "low", added_note: null });
          expect(await api.read(object.uri)).to.deep.equal(object);
          for (const name of modulesOf(definition))
            if (object[name] !== null)
              expect(await api.read(`${object.uri}/${name}`)).to.include({ added_switch: true });
        }),
      { env: MORE_FIELDS },
    ));

  it("can be updated despite such fields: ETags stay valid, only the named fields change, and the new one can be set", () =>
    served(
      async (api) =>
        eachObject(api, async (definition, object) => {
          const { kind, fields } = definition;
          const { headers } = await api.request("GET", object.uri);
          const etag = headers.get("etag") ?? "";
          const nothing = await api.request("PATCH", object.uri, {});
          expect(nothing.headers.get("etag"), "an update of nothing").to.equal(etag);
          const change =
            "description" in fields
              ? { description: "with more fields" }
              : { name: "named with more fields" };
          const changed = await api.request("PATCH", object.uri, change, { "if-match": etag });
          expect(changed.body).to.deep.equal({ ...object, ...change, ...childrenOf(changed.body) });
          const [event] = (await api.read("/events?limit=1")).events;
          expect(event.object.id, kind).to.equal(object.id);
          expect(event.changes.map(({ path }: Json) => path)).to.deep.equal(Object.keys(change));
          for (const name of modulesOf(definition).filter((module) => SENT_AS_ANSWERED.includes(module))) {
            if (object[name]?.enabled !== false) continue;
            const { added_switch, ...old } = object[name];
            const module = await api.request("GET", `${object.uri}/${name}`);
            const match = { "if-match": module.headers.get("etag") ?? "" };
            expect((await api.request("PUT", `${object.uri}/${name}`, old, match)).body).to.deep.equal(
              object[name],
            );
          }
          const set = await api.request("PATCH", object.uri, { added_choice: "high" });
          expect(set.body).to.include({ ...change, added_choice: "high", added_note: null });
        }),
      { env: MORE_FIELDS },
    ));

  it("can be shared with a server of the old version: fields that it leaves out are answered with their default", () =>
    served(
      async (api) => {
        const made = (await api.all(registry.find(({ kind }) => kind === "static_backend") as Definition))[0];
        await api.request("PATCH", made.uri, { added_choice: "high" });
        await api.read("/backends/static");
        const [row] = (await rowsIn(data, `select document from resource where id = '${made.id}'`)) as [
          { document: string },
        ];
        const { added_choice, added_note, tls, ...old } = JSON.parse(row.document);
        const document = JSON.stringify({ ...old, tls: { enabled: tls.enabled } }).replaceAll("'", "''");
        await execute(
          data,
          `update resource set document = '${document}', version = version + 1 where id = '${made.id}'`,
        );
        const [listed] = (await api.read("/backends/static")).backends;
        expect(listed).to.deep.include({
          added_choice: "low",
          added_note: null,
          tls: { enabled: tls.enabled, added_switch: true },
        });
        expect(await api.read(made.uri)).to.deep.equal(listed);
      },
      { env: MORE_FIELDS },
    ));
});

/** The lists of embedded children, which change with the children. */
const childrenOf = (object: Json): Json => {
  const definition = registry.find(({ idPrefix }) => object.id.startsWith(`${idPrefix}_`)) as Definition;
  return Object.fromEntries(embeddedIn(definition).map(([name]) => [name, object[name]]));
};
