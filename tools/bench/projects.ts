import { setTimeout as sleep } from "node:timers/promises";
import { Rest } from "../../tests/support/rest";
import { ServerProcess } from "../../tests/support/server";
import { LoadGenerator } from "./load";
import type { LoadResult, Shot } from "./load/job";
import { medianBy, type Row, ratio } from "./report/section";
import { amount, type Settings } from "./settings";

const PROJECTS = 20;
/** Connections of one project for each kind of load. */
const OF_ONE = 4;
const QUIET = 2;
/** The niceness of the busy projects' clients. */
const STEPS_BACK = 15;
/** Between the requests of the quiet project, in milliseconds. */
const PAUSE = 10;
/** The goal for a quiet project: its p99 beside the others, compared with the usual. */
const P99 = 3;

const OPERATIONS = ["reads", "writes", "previews"] as const;
type Quiet = Readonly<Record<(typeof OPERATIONS)[number], readonly Shot[]>>;

/** A project, and what those in it send. */
interface Project {
  readonly headers: Readonly<Record<string, string>>;
  readonly rest: Rest;
  readonly name: string;
  /** A route that serves everything, and one below it. */
  readonly route: string;
  readonly below: string;
}

export const TITLE = "A quiet project beside 20 that do their worst";
export const NOTE = `${QUIET} connections of a project with a site and an enforced guarantee, with a pause of ${PAUSE} ms, alone and beside ${PROJECTS} projects, each with ${OF_ONE} connections for each of these: expressions that guarantees judge up to their limit, plans of change sets with findings, exchanges of tokens, searches with states of guarantees, streams of events. These wait as long as Retry-After says. One server with its usual limits; it, its database and all clients share the machine, where the clients of the 20 step back for the rest (niceness ${STEPS_BACK}): elsewhere they are other machines. Previews are dry runs of a change with its findings, and plans.`;
export const COLUMNS = {
  database: "",
  operation: "",
  usualP50: "usual p50 ms",
  usualP99: "usual p99 ms",
  p50: "beside them: p50 ms",
  p99: "p99 ms",
  slower: "× usual",
  goal: "goal",
  reached: "",
  refused: "refused/s",
  errors: "errors",
  others: "others: answered/s",
  othersRefused: "refused/s",
  othersErrors: "errors",
};

/** Measures a quiet project alone and beside others, on one kind of database. */
export async function besideProjects(
  database: string,
  data: string,
  { rounds, warmUp, seconds }: Settings,
): Promise<Row[]> {
  const server = await ServerProcess.start({ data, keepLog: false });
  const generators: LoadGenerator[] = [];
  const generator = (niceness = 0): LoadGenerator => {
    const made = new LoadGenerator(niceness);
    generators.push(made);
    return made;
  };
  try {
    const account = new Rest(server.url, server.apiKey);
    const quiet = await makeProject(server.url, account, "quiet");
    await created(quiet.rest, "/guarantees", { expect: "answered", addresses: [addressOf(quiet)] });
    const others: Project[] = [];
    for (let index = 0; index < amount(PROJECTS); index++)
      others.push(await makeProject(server.url, account, `other-${index}`));
    for (const other of others) await complicate(other);
    const loads = loadsOf(others).map((load) => ({ ...load, generator: generator(STEPS_BACK) }));
    const [own, shots] = [generator(), shotsOf(quiet)];
    const common = { urls: [server.url], pids: [], refused: "wait for Retry-After" } as const;
    const nothing = { ...common, headers: {}, connections: 0, warmUp: 0, seconds: 0 };
    // Until their processes have started.
    for (const load of loads) await load.generator.run({ ...nothing, shots: load.shots });
    const measure = (operation: keyof Quiet): Promise<LoadResult> =>
      own.run({
        ...common,
        ...{ headers: quiet.headers, shots: shots[operation], connections: QUIET, pause: PAUSE },
        ...{ warmUp, seconds },
      });
    const measured = new Map<string, { usual: LoadResult; beside: LoadResult; crowd: LoadResult[] }[]>();
    for (let round = 0; round < rounds; round++)
      for (const operation of OPERATIONS) {
        const usual = await measure(operation);
        const crowd = loads.map((load) =>
          load.generator.run({
            ...common,
            ...{
              headers: {},
              shots: load.shots,
              expected: load.expected ?? 2,
              connections: amount(OF_ONE) * others.length,
            },
            ...{ warmUp, seconds: seconds + 2 * warmUp },
          }),
        );
        await sleep(warmUp * 1000);
        const beside = await measure(operation);
        const all = measured.get(operation) ?? [];
        measured.set(operation, [...all, { usual, beside, crowd: await Promise.all(crowd) }]);
      }
    return [...measured].map(([operation, all]) => {
      const { usual, beside, crowd } = medianBy(all, (one) => one.beside.p99 / one.usual.p99);
      const slower = ratio(beside.p99, usual.p99);
      const sum = (figure: (one: LoadResult) => number) => crowd.reduce((all, one) => all + figure(one), 0);
      return {
        ...{ database, operation, usualP50: usual.p50, usualP99: usual.p99 },
        ...{ p50: beside.p50, p99: beside.p99, slower, goal: `≤ ${P99}` },
        reached: slower !== null && slower <= P99,
        ...{ refused: beside.refusedPerSecond, errors: usual.errors + beside.errors },
        others: sum((one) => one.perSecond),
        othersRefused: sum((one) => one.refusedPerSecond),
        othersErrors: sum((one) => one.errors),
      };
    });
  } finally {
    for (const one of generators) one.stop();
    await server.stop();
  }
}

async function created(rest: Rest, path: string, body: object): Promise<{ id: string; token: string }> {
  const answer = await rest.post(path, body);
  if (answer.status !== 201) throw new Error(`POST ${path}: ${answer.status} ${answer.text}`);
  return answer.body;
}

/** A project with a bot as its admin, and a site that a guarantee looks at. */
async function makeProject(url: string, account: Rest, name: string): Promise<Project> {
  const { id: project_id } = await created(account, "/projects", { name });
  const inside = account.inside(name);
  const { id: bot } = await created(inside, "/bot_users", { name });
  await created(account, "/memberships", { project_id, role: "admin", bot_user_id: bot });
  const { token } = await created(inside, "/api_keys", { owner_id: bot });
  const rest = new Rest(url, token);
  const { id: backend_id } = await created(rest, "/backends/http_response", { status_code: 204 });
  const { id: edge } = await created(rest, "/edges/https", { hostports: [`${name}.example.com:443`] });
  const route = { match_type: "path_prefix", match: "/", backend: { backend_id } };
  const routes = `/edges/https/${edge}/routes`;
  const { id } = await created(rest, routes, route);
  const below = await created(rest, routes, { ...route, match: "/below" });
  return {
    headers: { authorization: `Bearer ${token}`, "service-version": "2" },
    ...{ rest, name, route: `${routes}/${id}`, below: `${routes}/${below.id}` },
  };
}

const addressOf = ({ name }: Project): string => `${name}.example.com:443`;

const json = (value: object): string => JSON.stringify(value);

function shotsOf({ route, below }: Project): Quiet {
  const change = json({ description: "changed {n}" });
  const set = {
    set: "quiet",
    objects: [{ kind: "ip_policy", key: "office", fields: { description: "{n}" } }],
  };
  return {
    reads: [
      { method: "GET", path: route },
      { method: "GET", path: "/guarantees?state=true" },
      { method: "GET", path: "/backends/http_response" },
    ],
    writes: [
      { method: "PATCH", path: route, body: change },
      { method: "POST", path: "/ip_policies", body: json({ description: "made {n}" }) },
      { method: "PATCH", path: below, body: json({ match: "/{n}" }) },
    ],
    previews: [
      { method: "PATCH", path: `${below}?dry_run=true&findings=true`, body: json({ match: "/{n}" }) },
      { method: "POST", path: "/changesets?dry_run=true&findings=true", body: json(set) },
    ],
  };
}

const clauses = (): string[] =>
  Array.from({ length: amount(12) }, (_, index) => {
    const [one, other] = [index, (index * 5 + 1) % 12];
    return `(req.headers["x-${one}"] == "a" || req.headers["x-${other}"] == "b")`;
  });

/**
 * Two policies that refuse everything together, which is not seen before all requests were tried: judging ends
 * at its limit.
 */
const policies = (name: string) => ({
  inbound: [`!(${clauses().join(" && ")})`, clauses().toReversed().join(" && ")].map((expression) => ({
    ...{ name, expressions: [expression], actions: [{ type: "deny", config: {} }] },
  })),
});

async function complicate(project: Project): Promise<void> {
  const { rest, route } = project;
  const answer = await rest.put(`${route}/policies`, policies("first"));
  if (answer.status !== 200) throw new Error(`PUT ${route}/policies: ${answer.status} ${answer.text}`);
  await created(rest, "/guarantees", { expect: "refused", addresses: [addressOf(project)] });
  const { id: bot } = await created(rest, "/bot_users", { name: "ci" });
  await created(rest, "/workload_identities", {
    ...{ bot_user_id: bot, issuer: ISSUER, audiences: [AUDIENCE], claims: { sub: "repo:acme/app" } },
  });
}

const ISSUER = "https://issuer.example";
const AUDIENCE = "https://tunnels.example.com";
const part = (value: object): string => Buffer.from(json(value)).toString("base64url");
const TOKEN = [
  part({ alg: "RS256", kid: "1" }),
  part({ iss: ISSUER, sub: "repo:acme/app", aud: AUDIENCE, exp: 4_000_000_000 }),
  Buffer.alloc(256).toString("base64url"),
].join(".");
const FORM = new URLSearchParams({
  grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
  subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
  subject_token: TOKEN,
}).toString();

/** The requests of the busy projects, as one load for each kind. */
function loadsOf(
  others: readonly Project[],
): { readonly shots: readonly Shot[]; readonly expected?: number }[] {
  const each = (shot: (project: Project) => Shot): Shot[] =>
    others.map((project) => ({ headers: project.headers, ...shot(project) }));
  const objects = Array.from({ length: amount(100) }, (_, index) => ({
    kind: "https_edge",
    key: `edge-${index}`,
    fields: { hostports: [`{n}-${index}.example.net:443`] },
  }));
  const set = json({ set: "all", objects });
  const form = "application/x-www-form-urlencoded";
  return [
    {
      shots: each(({ route }) => ({
        ...{ method: "PUT", path: `${route}/policies`, body: json(policies("{n}")) },
      })),
    },
    {
      shots: each(() => ({
        ...{ method: "POST", path: "/changesets?dry_run=true&findings=true", body: set },
      })),
    },
    {
      shots: others.map(() => ({ method: "POST", path: "/token", body: FORM, type: form })),
      expected: 4,
    },
    {
      shots: [
        ...each(() => ({ method: "GET", path: "/search?q=example&limit=100&shared=true" })),
        ...each(() => ({ method: "GET", path: "/guarantees?state=true" })),
      ],
    },
    { shots: each(() => ({ method: "GET", path: "/events?wait=10" })) },
  ];
}
