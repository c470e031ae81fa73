import { hostport, type Json } from "../../support/api/expect";
import { TYPES } from "../../support/api/types";
import { onEveryDatabase, type Start, settled } from "../../support/databases";
import { refusedBeside } from "../../support/refusal";
import { Rest, type RestAnswer } from "../../support/rest";
import type { ServerProcess } from "../../support/server";

type Answered = RestAnswer["body"];
/** What belongs to projects; these two stand beside them. */
const OF_PROJECTS = TYPES.filter(({ path }) => path !== "/projects" && path !== "/memberships");
const HALF = Math.ceil(OF_PROJECTS.length / 2);
const ROLES = ["member", "viewer", "admin"] as const;
const SET = "web";
const KEY = { "idempotency-key": "one-of-both" };
const GATEWAY = { version: "0.1.0", envoy_version: "1.40.0", ports: [443] };
/** One object of each kind, by the path of its collection. */
type Made = ReadonlyMap<string, Answered>;

/** A server with a project whose answers are compared, and another one that holds something or nothing. */
interface World {
  readonly server: ServerProcess;
  readonly account: Rest;
  readonly own: Made;
  /** Ids in the other project, or ids like them where that is empty. */
  readonly foreign: ReadonlyMap<string, string>;
  /** A hostport there, or nowhere. */
  readonly elsewhere: string;
  /** The API as an admin of the other project sees it. */
  readonly admin: Rest;
  readonly event: string;
  /** The API as those of each role in the project see it. */
  readonly callers: ReadonlyMap<string, Rest>;
}

async function fill(rest: Rest, types: typeof TYPES): Promise<[string, Answered][]> {
  const made: [string, Answered][] = [];
  for (const type of types) {
    const edge = type.path.includes("{edge_id}")
      ? (await rest.created("/edges/https", { hostports: [hostport()] })).id
      : "";
    const path = type.path.replace("{edge_id}", edge);
    made.push([type.path, await rest.created(path, await type.body(rest))]);
  }
  return made;
}

/** What stands beside objects: a change set, a kept answer, events on their way. */
async function besides(rest: Rest): Promise<void> {
  const objects = [{ kind: "ip_policy", key: "office" }];
  expect((await rest.post("/changesets", { set: SET, objects })).status).to.equal(200);
  await rest.created("/ip_policies", { description: "kept" }, KEY);
}

/** An HTTPS edge whose answer to every request is a status. */
async function site(rest: Rest, address: string, status: number): Promise<void> {
  const edge = await rest.created("/edges/https", { hostports: [address] });
  const { id } = await rest.created("/backends/http_response", { status_code: status });
  const route = { match_type: "path_prefix", match: "/", backend: { backend_id: id } };
  await rest.created(`/edges/https/${edge.id}/routes`, { ...route, description: "canary" });
}

async function worldOf(
  start: Start,
  isThere: boolean,
  roles: readonly (typeof ROLES)[number][],
): Promise<World> {
  const server = await start();
  const account = server.rest;
  const [ours, theirs] = [
    await account.created("/projects", { name: "ours" }),
    await account.created("/projects", { name: "theirs" }),
  ];
  const [here, there] = [account.inside(ours.name), account.inside(theirs.name)];
  const callers = new Map<string, Rest>();
  for (const role of roles) {
    const bot = await here.created("/bot_users", { name: role });
    if (role !== "member")
      await account.created("/memberships", { project_id: ours.id, role, bot_user_id: bot.id });
    callers.set(role, new Rest(server.url, (await here.created("/api_keys", { owner_id: bot.id })).token));
  }
  const bot = await there.created("/bot_users", { name: "admin" });
  await account.created("/memberships", { project_id: theirs.id, role: "admin", bot_user_id: bot.id });
  const admin = new Rest(server.url, (await there.created("/api_keys", { owner_id: bot.id })).token);
  const own = await fill(here, OF_PROJECTS.slice(0, HALF));
  await site(here, WILDCARD, 204);
  // In reports, so that it refuses nothing here; it looks at every address.
  const everywhere = { expect: "answered", addresses: ["*:*"], mode: "report" };
  await here.created("/guarantees", everywhere);
  if (isThere) await besides(there);
  const others = isThere ? await fill(there, OF_PROJECTS) : [];
  if (isThere) {
    await site(there, BELOW, 203);
    await there.created("/edges/tcp", { hostports: [TCP] });
  }
  await besides(here);
  own.push(...(await fill(here, OF_PROJECTS.slice(HALF))));
  const foreign = new Map(OF_PROJECTS.map(({ path, prefix }) => [path, `${prefix}_${madeUp()}`]));
  for (const [path, { id }] of others) foreign.set(path, id);
  const edges = [...own, ...others].flatMap(([path, { id }]) =>
    path === "/edges/tls" ? [{ id, state: "applied" }] : [],
  );
  const agents = [...own, ...others].flatMap(([path, { id }]) =>
    path === "/credentials"
      ? [{ credential: id, bind: ["bind:a=b"], address: "192.0.2.1", since: "2026-01-31T08:00:00Z" }]
      : [],
  );
  const report = { ...GATEWAY, sequence: edges.length, edges, agents };
  expect((await account.put("/gateways/east/status", report)).status).to.equal(204);
  await settled(server.data);
  const [, edge] = others.find(([path]) => path === "/edges/tls") ?? [];
  const elsewhere = edge?.hostports[0] ?? hostport();
  const [newest] = (await there.get("/events?limit=1")).body.events;
  const event = newest?.event_id ?? `ev_${madeUp()}`;
  return { server, account, own: new Map(own), foreign, elsewhere, event, admin, callers };
}

const madeUp = (): string =>
  Array.from(
    { length: 27 },
    () => "0123456789abcdefghijklmnopqrstuvwxyz"[Math.floor(Math.random() * 36)],
  ).join("");

/** A request of a caller, for every world. */
type Probe = readonly [method: string, path: string, body?: object, headers?: Record<string, string>];

/** The first project serves the wildcard, and the other one perhaps a name below it, and a port. */
const [WILDCARD, BELOW, TCP] = [
  "*.zone.example.org:443",
  "app.zone.example.org:443",
  "tcp.example.com:23456",
];
const ASKED = ["POST", "/exposure/decisions"] as const;

/** Requests to addresses that the other project may hold. */
const requestsTo = (elsewhere: string) => [
  ...[elsewhere, BELOW, TCP].map((address) => ({ address, from: "198.51.100.7" })),
  { address: BELOW, host: elsewhere, from: "198.51.100.7" },
];

/** Everything that can be read, and what a caller can do with ids of the other project. */
async function probesOf(
  { server, own, foreign, elsewhere, event: newest }: World,
  rest: Rest,
): Promise<Probe[]> {
  const { paths } = (await rest.get("/openapi-wire.json")).body as { paths: Record<string, Json> };
  const [event] = (await rest.get("/events?limit=1")).body.events ?? [];
  const routes = own.get("/edges/https/{edge_id}/routes");
  const filled = (path: string) => {
    const [collection = ""] = path.split("/{id}");
    const id = own.get(collection)?.id ?? (collection === "/events" ? (event?.event_id ?? "ev_1") : "ours");
    const name = collection.startsWith("/changesets") ? SET : "east";
    return path
      .replace("{edge_id}", routes?.uri.split("/").at(-3) ?? "")
      .replace("{id}", id)
      .replace(/\{\w+\}/, name);
  };
  const reads = Object.entries(paths).flatMap(([path, methods]) =>
    "get" in methods && path !== "/audit_head" ? [filled(path)] : [],
  );
  const lists = reads.filter((path) => !/_[0-9A-Za-z]{27}|east|web/.test(path) && path !== "/exposure");
  const ids = [...foreign].map(([path, id]): [string, string] => [path.replace("{edge_id}", "ours"), id]);
  const theirEdge = foreign.get("/edges/tls") ?? "";
  const theirPolicy = foreign.get("/ip_policies") ?? "";
  const guarantees = (await rest.get("/guarantees")).body.guarantees as { id: string }[];
  return [
    ...reads.map((path): Probe => ["GET", path]),
    ...lists.map((path): Probe => ["GET", `${path}?limit=1`]),
    ...["/events?wait=0", `/events?after_id=${event?.event_id}`, "/audit_events?limit=3"].map(
      (path): Probe => ["GET", path],
    ),
    ...["/audit_events?project=theirs", "/audit_events?project=ours", "/gateways?limit=1"].map(
      (path): Probe => ["GET", path],
    ),
    ...ids.flatMap(([path, id]): Probe[] => [
      ...["GET", "DELETE"].map((method): Probe => [method, `${path}/${id}`]),
      ["PATCH", `${path}/${id}`, {}],
      ["GET", `/references?object_id=${id}`],
      ["GET", `/search?q=${id}`],
      ["GET", `/events?object_id=${id}`],
      ["POST", "/changesets?dry_run=true", { set: "other", objects: [{ kind: "ip_policy", key: "a", id }] }],
    ]),
    ...[`/${newest}`, `?before_id=${newest}`, `?after_id=${newest}`].map(
      (more): Probe => ["GET", `/events${more}`],
    ),
    ["GET", `/edges/tls?hostport=${elsewhere}`],
    ["GET", `/exposure?address=${elsewhere}`],
    ["GET", `/search?q=${elsewhere}`],
    ["GET", "/search?q=example&limit=100&shared=true"],
    ["GET", "/exposure"],
    ...guarantees.map(({ id }): Probe => ["GET", `/guarantees/${id}`]),
    [...ASKED, { requests: requestsTo(elsewhere) }],
    ["PATCH", `/ip_policies/${own.get("/ip_policies")?.id}?dry_run=true&findings=true`, { description: "b" }],
    ["POST", "/edges/tls?dry_run=true&findings=true", { hostports: ["*.example.org:443"] }],
    [
      "POST",
      "/changesets?dry_run=true&findings=true",
      { set: "new", objects: [{ kind: "ip_policy", key: "a" }] },
    ],
    ["POST", "/edges/tls", { hostports: [hostport()], ip_restriction: { ip_policy_ids: [theirPolicy] } }],
    ["POST", "/edges/tls?dry_run=true&findings=true", { hostports: ["new.example.com:443"] }],
    ["DELETE", `${filled("/edges/tls/{id}")}?dry_run=true&findings=true`],
    ["PUT", `/edges/tls/${theirEdge}/ip_restriction`, { ip_policy_ids: [own.get("/ip_policies")?.id] }],
    ["POST", "/ip_policies", { description: "kept" }, KEY],
    ["POST", "/ip_policies", { description: "another" }, KEY],
    ["GET", `/changesets/${SET}`],
    ["GET", "/caller"],
    ["GET", "/metrics"],
    ["GET", `${server.url}/projects`],
  ];
}

/** Compared texts: what is random, or a matter of time, is numbered in the order in which it comes. */
class Comparable {
  readonly #numbers = new Map<string, string>();

  constructor(private readonly url: string) {}

  of(text: string): string {
    return text
      .replaceAll(this.url, "")
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "(time)")
      .replace(/"(\w+_at|last_error|last_seen)":(null|"[^"]*")/g, '"$1":"(later)"')
      .replace(/"(addr|serial_number)":"[\w.:]+"/g, '"$1":"(random)"')
      .replace(/db\.example\.com:\d+/g, "db.example.com:(random)")
      .replace(/"(attempts|status)":(\d+|"pending"|"dead")/g, '"$1":"(later)"')
      .replace(
        /-----BEGIN [^"]+-----END [A-Z ]+-----|[\w+/=-]{40,}|"[0-9a-f]{16}"|"[\w-]{22}"|[A-Za-z]+_[0-9A-Za-z_-]{22,27}\b|\b[a-z]+\d+\b/g,
        (name) => this.#numbered(name),
      );
  }

  #numbered(name: string): string {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    const number = `(${this.#numbers.size})`;
    this.#numbers.set(name, number);
    return number;
  }
}

/** The answers to all probes, by the request. */
async function answersIn(world: World): Promise<string[]> {
  const answers: string[] = [];
  for (const [role, rest] of world.callers) {
    const comparable = new Comparable(world.server.url);
    for (const [method, path, body, headers] of await probesOf(world, rest)) {
      const answer = await rest.request(method, path, body, headers);
      const said = ["etag", "location", "idempotent-replayed", "allow", "retry-after"].map(
        (name) => answer.headers.get(name) ?? "",
      );
      const text = answer.text.replaceAll(answer.headers.get("x-request-id") ?? "-", "(request)");
      answers.push(comparable.of([role, method, path, answer.status, said, text].join(" ")));
    }
  }
  return answers;
}

onEveryDatabase("Whether another project holds anything", (start, database) => {
  const worlds: World[] = [];
  before("start a server whose other project is empty, and one where it is not", async () => {
    // What a role may do is decided before the database is asked, and admins may ask most.
    const roles = database.name === "SQLite" ? ROLES : (["admin"] as const);
    for (const isThere of [false, true]) worlds.push(await worldOf(start, isThere, roles));
  });

  it("changes no answer to those of a project: to reads, dry runs, repetitions, refusals and counts", async () => {
    const [without, withObjects] = [await answersIn(worlds[0] as World), await answersIn(worlds[1] as World)];
    expect(without.length).to.be.above(300);
    const differing = without.flatMap((answer, index) =>
      withObjects[index] === answer ? [] : [[answer, withObjects[index]]],
    );
    expect(differing[0]).to.equal(undefined); // later answers differ by their numbers
    expect(withObjects).to.have.length(without.length);
  });

  it("changes no decision about requests that they ask about, and only its own people see what it does", async () => {
    for (const [index, { callers, admin, elsewhere }] of worlds.entries()) {
      const requests = requestsTo(elsewhere);
      for (const [role, rest] of callers) {
        const { allowed } = await refusedBeside({
          refused: () => rest.post(ASKED[1], { requests: [{ address: "no port", from: "192.0.2.1" }] }),
          as: 400,
          allowed: () => rest.post(ASKED[1], { requests }),
        });
        const { body } = allowed;
        const said = body.decisions.map(({ outcome, status: answered }: Json) => [outcome, answered]);
        expect(said, role).to.deep.equal([
          ["closed", null],
          ["answered", 204],
          ["closed", null],
          ["refused", 421],
        ]);
      }
      const theirs = (await admin.post(ASKED[1], { requests })).body.decisions as Json[];
      expect(theirs.map(({ status }) => status)).to.deep.equal([
        null,
        index ? 203 : null,
        null,
        index ? 421 : null,
      ]);
      expect(theirs[2]?.by === null).to.equal(index === 0);
    }
  });

  it("shows to admins of the account, and in conflicts of unique values: “another project”, and no more", async () => {
    const [without, withObjects] = worlds as [World, World];
    const heads = await Promise.all(
      worlds.map(async ({ account }) => (await account.get("/audit_head")).body),
    );
    expect(heads[1].sequence).to.be.above(heads[0].sequence);
    const rows = (await withObjects.account.get("/audit_events?project=theirs")).body.audit_events;
    expect(rows.length).to.be.above(0);
    for (const row of rows) expect(row).to.include({ project: "theirs" });
    const create =
      ({ elsewhere, callers }: World) =>
      () =>
        (callers.get("admin") as Rest).post("/edges/tls", { hostports: [elsewhere] });
    const { refused } = await refusedBeside({
      refused: create(withObjects),
      as: { status: 409, code: "TP_1501" },
      allowed: create(without),
    });
    expect(refused[0]?.body.msg).to.equal("hostports[0] is taken in another project; choose another");
    for (const id of withObjects.foreign.values()) expect(refused[0]?.text).not.to.contain(id);
  });

  it("tells of a restriction of the account which networks it admits, and nothing else", async () => {
    const { account, callers } = worlds[1] as World;
    const policy = await account.created("/ip_policies", { description: "canary" });
    await account.created("/ip_policy_rules", {
      ip_policy_id: policy.id,
      cidr: "10.0.0.0/8",
      action: "allow",
      description: "canary",
    });
    const restriction = await account.created("/ip_restrictions", {
      type: "endpoints",
      enforced: true,
      ip_policy_ids: [policy.id],
      description: "canary",
    });
    const asked = { requests: ["10.1.2.3", "192.0.2.1"].map((from) => ({ address: BELOW, from })) };
    const decide = (rest: Rest) => rest.post(ASKED[1], asked);
    for (const rest of callers.values()) {
      const { body, text } = await decide(rest);
      expect(body.decisions.map(({ status }: Json) => status)).to.deep.equal([204, 403]);
      const by = { kind: "ip_restriction", id: null, name: "of the account", field: "ip_policy_ids" };
      expect(body.decisions[1].by).to.deep.equal(by);
      const row = await rest.get(`/exposure?address=${WILDCARD}/`);
      expect(row.body.exposure[0].networks).to.deep.equal({ v4: ["10.0.0.0/8"], v6: [] });
      for (const hidden of [policy.id, restriction.id, "description: canary"])
        expect(text + row.text).not.to.contain(hidden);
    }
    const known = await decide(account.inside("ours"));
    expect(known.body.decisions[1].by).to.include({ id: restriction.id, name: "canary" });
  });
});
