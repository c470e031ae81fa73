import { join } from "node:path";
import {
  DEFAULT_PROJECT,
  type Definition,
  embeddedIn,
  modulesOf,
  pathFieldsOf,
  registry,
} from "@tunnelplane/sdk/contract";
import { expect } from "chai";
import { countIn, execute, onEveryDatabase, rowsIn } from "../../support/databases";
import { Promises } from "../../support/promises";
import { Rest, type RestAnswer } from "../../support/rest";
import { run, type ServerProcess } from "../../support/server";

const RELEASE = join(__dirname, "../release/database.backup");
const AS_IT_IS = {};
const MORE_FIELDS = { NODE_OPTIONS: `--require=${join(__dirname, "addedFields.cjs")}` };
/** Modules that refer to nothing. */
const SENT_AS_ANSWERED = ["tls_termination", "oidc", "user_agent_filter"];

type Json = RestAnswer["body"];

/**
 * The promises of each kind of server. They take a second to write down, and are the same on every database.
 */
const documents = new Map<object, Promises>();

/** A client that checks every answer against the server's own OpenAPI document. */
class Checked {
  private constructor(
    private readonly rest: Rest,
    private readonly promises: Promises,
  ) {}

  static async of({ url, apiKey }: ServerProcess, env: object): Promise<Checked> {
    const rest = new Rest(url, apiKey);
    const promises = documents.get(env) ?? new Promises((await rest.get("/openapi-wire.json")).body);
    documents.set(env, promises);
    return new Checked(rest, promises);
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

  /** A server of that kind for all cases of a suite. */
  const serving = (env: Record<string, string>) => {
    let server: ServerProcess;
    const found = {} as { api: Checked };
    before("start a server", async () => {
      server = await start({ data, env });
      found.api = await Checked.of(server, env);
    });
    after(() => server?.stop());
    return found;
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
    const stored = (await rowsIn(data, "select distinct kind from resource")).map(({ kind }) => kind);
    // The project `default` is there without being stored, until somebody changes it.
    const all = new Set([...stored, "project"]);
    expect([...kinds], "types of the last release").to.have.members([...all]);
  };

  let serverId: string;

  describe("on this version", () => {
    const served = serving(AS_IT_IS);

    it("is answered as in today's OpenAPI document: every object, module and list", () =>
      eachObject(served.api, async (definition, object) => {
        expect(await served.api.read(object.uri)).to.deep.equal(object);
        for (const name of modulesOf(definition))
          if (object[name] !== null)
            expect(await served.api.read(`${object.uri}/${name}`)).to.deep.equal(object[name]);
      }));

    it("is in the project `default` as a whole, and its old keys work there", async () => {
      const { account_role, projects } = await served.api.read("/caller");
      expect({ account_role, projects }).to.deep.equal({
        account_role: "admin",
        projects: [{ ...DEFAULT_PROJECT, role: "admin" }],
      });
      expect(await countIn(data, "resource", `project_id <> '${DEFAULT_PROJECT.id}'`)).to.equal(0);
    });

    it("gets a `server_id`", async () => {
      serverId = (await served.api.read("/caller")).server_id;
      expect(serverId).to.match(/^ac_[0-9A-Za-z]{27}$/);
    });

    it("can be changed, object by object, and keeps all other fields", () =>
      eachObject(served.api, async ({ fields }, object) => {
        const change =
          "description" in fields ? { description: "by this version" } : { name: "named by this version" };
        const { body } = await served.api.request("PATCH", object.uri, change);
        expect(body).to.deep.equal({ ...(await served.api.read(object.uri)), ...change });
        expect(body).to.deep.equal({ ...object, ...change, ...childrenOf(body) });
      }));
  });

  describe("on a version that has more fields", () => {
    const served = serving(MORE_FIELDS);

    it("keeps its `server_id` after another start", async () => {
      expect((await served.api.read("/caller")).server_id).to.equal(serverId);
    });

    it("answers the default of fields that were added since, in types, modules and entries of lists", () =>
      eachObject(served.api, async (definition, object) => {
        expect(object).to.include({ added_choice: "low", added_note: null });
        expect(await served.api.read(object.uri)).to.deep.equal(object);
        for (const name of modulesOf(definition))
          if (object[name] !== null)
            expect(await served.api.read(`${object.uri}/${name}`)).to.include({ added_switch: true });
      }));

    it("can be updated despite such fields: ETags stay valid, only the named fields change, and the new one can be set", () =>
      eachObject(served.api, async (definition, object) => {
        const { kind, fields } = definition;
        const { api } = served;
        const { headers } = await api.request("GET", object.uri);
        const etag = headers.get("etag") ?? "";
        const nothing = await api.request("PATCH", object.uri, {});
        expect(nothing.headers.get("etag"), "an update of nothing").to.equal(etag);
        const change =
          "description" in fields ? { description: "with more fields" } : { name: "named with more fields" };
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
      }));

    it("can be shared with a server of the old version: fields that it leaves out are answered with their default", async () => {
      const { api } = served;
      const made = (await api.all(registry.find(({ kind }) => kind === "static_backend") as Definition))[0];
      await api.request("PATCH", made.uri, { added_choice: "high" });
      await api.read("/backends/static");
      const [row] = await rowsIn(data, `select document from resource where id = '${made.id}'`);
      const { added_choice, added_note, tls, ...old } = JSON.parse(row?.document);
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
    });
  });
});

/** The lists of embedded children, which change with the children. */
const childrenOf = (object: Json): Json => {
  const definition = registry.find(({ idPrefix }) => object.id.startsWith(`${idPrefix}_`)) as Definition;
  return Object.fromEntries(embeddedIn(definition).map(([name]) => [name, object[name]]));
};
