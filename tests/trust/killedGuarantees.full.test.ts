import { setTimeout as sleep } from "node:timers/promises";
import { declared, ref, SetInTest } from "../changesets/support";
import { onEveryDatabase } from "../support/databases";
import { refusedBeside } from "../support/refusal";
import { Rest } from "../support/rest";
import type { ServerProcess } from "../support/server";
import { figure, LIMIT_MS, size } from "../support/size";

const KILLS = size(2, 100);
/** The moments of kills, after the first set is sent: each is another one. */
const STEP_MS = 37;
const MAX_MS = 150;
const HOST = "app.example.org:443";
/** Each route of the admin pages only admits the office; one of them is there at any time. */
const NAMES = ["admin", "pages"] as const;
const limited = { ip_restriction: { ip_policy_ids: [ref("ip_policy/office")] } };
const route = (key: string, match: string, fields: object = {}) =>
  declared("https_edge_route", key, {
    ...{ edge_id: ref("https_edge/app"), match_type: "path_prefix", match },
    ...{ backend: { backend_id: ref("http_response_backend/ok") }, ...fields },
  });
const site = (...routes: ReturnType<typeof route>[]) => [
  declared("ip_policy", "office"),
  declared("ip_policy_rule", "office", {
    ip_policy_id: ref("ip_policy/office"),
    cidr: "10.0.0.0/8",
    action: "allow",
  }),
  declared("http_response_backend", "ok", { status_code: 204 }),
  declared("https_edge", "app", { hostports: [HOST] }),
  route("root", "/"),
  ...routes,
];
const siteWith = (name: string) => site(route(name, "/admin", limited));
const restOf = ({ url, apiKey }: ServerProcess) => new Rest(url, apiKey);
const setOf = (server: ServerProcess) => new SetInTest(restOf(server), "site");

onEveryDatabase("A server that is killed in the middle of change sets", (start, database) => {
  it(`has all of a set or nothing of it, and the guarantee holds: ${KILLS} kills`, async function () {
    this.timeout(LIMIT_MS);
    const data = await database.create();
    let server = await start({ data });
    let [applied, cutOff] = [0, 0];
    await setOf(server).apply(siteWith(NAMES[0]));
    const made = await restOf(server).post("/guarantees", {
      expect: "refused",
      addresses: [`${HOST}/admin`],
      except_networks: ["10.0.0.0/8"],
    });
    expect(made.status, made.text).to.equal(201);
    for (let kill = 0; kill < KILLS; kill++) {
      const set = setOf(server);
      const sending = (async () => {
        for (let next = kill; ; next++) {
          const wanted = siteWith(NAMES[next % 2] ?? "");
          const sent = await set.send(wanted, { mode: "own", max_deletes: 1 }).catch(() => undefined);
          if (sent?.status !== 200) return sent;
          applied++;
        }
      })();
      await sleep(((kill + 1) * STEP_MS) % MAX_MS);
      await server.stop("SIGKILL");
      expect(await sending, "the answer of the last set").to.equal(undefined);
      cutOff++;
      server = await start({ data });
      await expectOne(server, made.body.id);
    }
    figure(`${KILLS} kills, ${applied} sets applied, ${cutOff} cut off`);
  });

  async function expectOne(server: ServerProcess, guarantee: string): Promise<void> {
    const [set, rest] = [setOf(server), restOf(server)];
    const ids = await set.ids();
    const stored = (await rest.get(`/edges/https/${ids["https_edge/app"]}/routes`)).body.routes;
    const [admin, ...more] = stored.filter(({ match }: { match: string }) => match === "/admin");
    expect(more).to.deep.equal([]);
    const recorded = Object.entries(ids).filter(([name]) => /https_edge_route\/(admin|pages)/.test(name));
    expect(recorded.map(([, id]) => id)).to.deep.equal([admin.id]);
    expect(admin.ip_restriction.ip_policies).to.have.length(1);
    const held = await rest.get(`/guarantees/${guarantee}`);
    expect(held.body.state, held.text).to.equal("holds");
    const send = (wanted: ReturnType<typeof site>) => () => set.send(wanted, { mode: "own", max_deletes: 1 });
    await refusedBeside({
      refused: send(site(route("open", "/admin"))),
      as: ({ status, body, text }) => expect([status, body.error_code], text).to.deep.equal([409, "TP_1504"]),
      allowed: send(siteWith(NAMES[0])),
    });
  }
});
