/**
 * Makes the database of the last release, which the tests start this build on: one object of every type, with
 * all of its modules, written by the server that is built here. To be run at each release: `npm run
 * release:data`.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Definition, type ModuleName, modulesOf, registry } from "@tunnelplane/sdk/contract";
import { type Json, RestBelowEdge } from "../../support/api/expect";
import { destination, targets } from "../../support/api/fixtures";
import { moduleFixtures } from "../../support/api/modules";
import { TYPES } from "../../support/api/types";
import { run, ServerProcess } from "../../support/server";

const FILE = join(__dirname, "database.backup");

/** Fields that the tests' bodies leave out. */
const MORE: Readonly<Record<string, Json>> = {
  api_key: { expires_at: "2126-01-01T00:00:00Z" },
  ssh_user_certificate: {
    critical_options: { "force-command": "date" },
    valid_until: "2100-01-01T00:00:00Z",
  },
  ssh_host_certificate: { valid_until: "2100-01-01T00:00:00Z" },
};

/**
 * Values that earlier versions accepted and today's rules refuse. They have to be answered unchanged for
 * ever.
 */
const ONCE_TAKEN: readonly (readonly [path: string, body: Json])[] = [
  [
    "/edges/tls",
    {
      hostports: ["empty-lists.example.com:443"],
      mutual_tls: { certificate_authority_ids: [] },
      ip_restriction: { ip_policy_ids: [] },
      policies: {
        inbound: [
          { name: "no CEL", expressions: ["this is (no CEL"], actions: [{ type: "deny", config: {} }] },
        ],
        outbound: [],
      },
    },
  ],
  [
    "/edges/https/{edge_id}/routes",
    {
      match_type: "path_prefix",
      match: "/long-patterns",
      user_agent_filter: { allow: [`^${"a".repeat(600)}`, "(x{0,10}){0,10}"], deny: [] },
    },
  ],
];

class Maker {
  readonly #rest: RestBelowEdge;

  constructor({ url, apiKey }: ServerProcess) {
    this.#rest = new RestBelowEdge(url, apiKey);
  }

  async created(path: string, body: unknown): Promise<Json & { id: string }> {
    const { status, text, body: answer } = await this.#rest.post(path, body);
    if (status !== 201) throw new Error(`POST ${path} answered ${status}: ${text}`);
    return answer;
  }

  async everything(): Promise<void> {
    for (const definition of registry) await this.#whole(definition);
    for (const target of Object.entries(targets()))
      await this.created("/event_destinations", destination(Object.fromEntries([target])));
    for (const [path, body] of ONCE_TAKEN) await this.#rest.post(path, body);
  }

  async #whole(definition: Definition): Promise<void> {
    const type = TYPES.find(({ path }) => path === definition.path);
    const body = (await type?.body(this.#rest)) ?? { name: "ci" };
    const texts = type ? { description: "of the last release", metadata: '{"team":"core"}' } : {};
    const modules: Json = {};
    const fixtures =
      modulesOf(definition).length > 0 ? await moduleFixtures(this, definition.idPrefix) : undefined;
    for (const name of modulesOf(definition)) modules[name] = fixtures?.[name as ModuleName].first;
    const answer = await this.created(definition.path, {
      ...body,
      ...texts,
      ...MORE[definition.kind],
      ...modules,
    });
    const empty = modulesOf(definition).filter((name) => answer[name] === null);
    if (empty.length > 0)
      throw new Error(`${definition.title} has no ${empty}: give it one in tests/support/api/modules.ts`);
  }
}

// Under mocha, because what the tests share is written for it; no test, so it runs only when it is named.
it("writes the database of a release, for the tests of later versions", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tunnelplane-release-"));
  try {
    const server = await ServerProcess.start({ data: folder });
    await new Maker(server).everything().finally(() => server.stop());
    rmSync(FILE, { force: true });
    const { code, err } = await run(folder, "backup", FILE);
    if (code !== 0) throw new Error(err);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
