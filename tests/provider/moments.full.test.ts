import { LossyProxy } from "../support/lossyProxy";
import { World } from "../support/provider";
import { NAMES, type Name } from "../support/providers";
import { figure, SOAK } from "../support/size";
import { type Declared, SmallEngine } from "../support/smallEngine";

/** The pairs of programs, first and last; by default another one for each provider, which soaks go beyond. */
const { TUNNELPLANE_PAIRS: PAIRS = SOAK ? "1-100" : undefined } = process.env;
/** A run that is broken off at each so many requests is followed by a destroy, too. */
const STEPS = 4;

const RULES = [
  ["allow", "192.0.2.0/24"],
  ["deny", "192.0.2.128/25"],
] as const;
const CALLERS = ["203.0.113.1", "192.0.2.1", "192.0.2.200"];
const PLACES = ["none", "inline", "apart"] as const;
/** What happens to a request. Later requests of its run are lost too, except after one that is late. */
const FATES = ["lost", "killed", "late", "bad gateway", "cut", "answer lost"] as const;

interface Program {
  readonly kind: "tls" | "https";
  readonly hosts: readonly string[];
  /** Where the restriction is declared that keeps the caller out. */
  readonly restriction: (typeof PLACES)[number];
  /** What is replaced on the way to this program. */
  readonly replaced: readonly string[];
}

function* numbers(seed: number): Generator<number> {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    yield state / 2 ** 32;
  }
}

function resourcesOf({ kind, hosts, restriction }: Program, own: string): Declared[] {
  const restricting = (idOf: (name: string) => string) => ({ ipPolicyIds: [idOf("policy")] });
  const hostports = hosts.map((host) => `${host}.${own}.example.com:443`);
  const backend = (idOf: (name: string) => string) => ({ backend: { backendId: idOf("backend") } });
  const inline = (idOf: (name: string) => string) =>
    restriction === "inline" ? { ipRestriction: restricting(idOf) } : {};
  const modules = restriction === "apart" ? ["ip_restriction"] : [];
  const edge: Declared[] =
    kind === "tls"
      ? [
          {
            ...{ type: "TlsEdge", kind: "tls_edge", name: "edge", hints: { modules } },
            args: (idOf) => ({ hostports, ...backend(idOf), ...inline(idOf) }),
          },
        ]
      : [
          {
            ...{ type: "HttpsEdge", kind: "https_edge", name: "edge", args: () => ({ hostports }) },
            hints: {
              guards: restriction === "none" ? [] : ["path_prefix /", "path_prefix / ip_restriction"],
            },
          },
          {
            ...{ type: "HttpsEdgeRoute", kind: "https_edge_route", name: "route", hints: { modules } },
            args: (idOf) => ({
              edgeId: idOf("edge"),
              ...{ matchType: "path_prefix", match: "/", ...backend(idOf), ...inline(idOf) },
            }),
          },
        ];
  const apart: Declared =
    kind === "tls"
      ? {
          ...{ type: "TlsEdgeIpRestriction", kind: "tls_edge.ip_restriction", name: "restriction" },
          args: (idOf) => ({ edgeId: idOf("edge"), ...restricting(idOf) }),
        }
      : {
          type: "HttpsEdgeRouteIpRestriction",
          kind: "https_edge_route.ip_restriction",
          name: "restriction",
          args: (idOf) => ({ edgeId: idOf("edge"), routeId: idOf("route"), ...restricting(idOf) }),
        };
  return [
    {
      ...{ type: "TunnelGroupBackend", kind: "tunnel_group_backend", name: "backend" },
      args: () => ({ labels: { own } }),
    },
    { type: "IpPolicy", kind: "ip_policy", name: "policy", args: () => ({}) },
    ...edge,
    ...(restriction === "apart" ? [apart] : []),
    // A destroy deletes these first, as the engine may.
    ...RULES.map(
      ([action, cidr]): Declared => ({
        ...{ type: "IpPolicyRule", kind: "ip_policy_rule", name: action },
        args: (idOf) => ({ ipPolicyId: idOf("policy"), cidr, action }),
      }),
    ),
  ];
}

const tried = { broken: 0, requests: 0, moments: 0 };

for (const [index, provider] of NAMES.entries())
  describe(`A run that is broken off at any request (${provider} provider)`, () => {
    const world = new World();
    let server: Awaited<ReturnType<World["server"]>>;
    before("start a server", async () => {
      server = await world.server();
    });
    after("say what was tried", () => {
      figure(`${tried.broken} runs broken off, ${tried.requests} requests, ${tried.moments} moments so far`);
    });

    const [first = 1, last = first] = (PAIRS ?? `${index + 1}`).split("-").map(Number);
    for (let pair = first; pair <= last; pair++)
      it(`opens no address that neither program opens, serves what is replaced throughout, and is put right by the next (pair ${pair})`, () =>
        new Pair(server, provider, pair).run());
  });

/** Goes from one generated program to another, to and fro, and breaks off at another request each time. */
class Pair {
  readonly #random;
  readonly #own;
  readonly #kind: "tls" | "https";
  /** What became of each request since the last run began. */
  readonly #seen = new Map<string, Set<string>>();
  readonly #faults: string[] = [];

  constructor(
    private readonly server: Awaited<ReturnType<World["server"]>>,
    private readonly provider: Name,
    private readonly pair: number,
  ) {
    this.#kind = pair % 2 === 0 ? "tls" : "https";
    this.#random = numbers(pair * 2654435761);
    this.#own = `pair${pair}-${provider}`;
  }

  #pick = <T>(list: readonly T[]): T => {
    const { value } = this.#random.next();
    return list[Math.floor(Number(value) * list.length)] as T;
  };

  async #look(): Promise<Map<string, string>> {
    const requests = CALLERS.flatMap((from) =>
      ["a", "b"].map((host) => ({ address: `${host}.${this.#own}.example.com:443`, from, path: "/" })),
    );
    const { body, text } = await this.server.rest.post("/exposure/decisions", { requests });
    expect(body.decisions, text).to.have.length(requests.length);
    tried.moments++;
    const outcomes = new Map<string, string>();
    for (const [index, { address, from }] of requests.entries()) {
      const { outcome } = body.decisions[index];
      const request = `${from} at ${address}`;
      outcomes.set(request, outcome);
      this.#seen.set(request, (this.#seen.get(request) ?? new Set()).add(outcome));
    }
    return outcomes;
  }

  async run(): Promise<void> {
    const kind = this.#kind;
    const programOf = (hosts: readonly string[]): Program => ({
      kind,
      hosts,
      restriction: this.#pick(PLACES),
      replaced: this.#pick(kind === "tls" ? [["edge"]] : [["edge"], ["route"], ["edge", "route"]]),
    });
    // Both restrict or one does: else no gap would show.
    let programs = [programOf(["a"]), programOf(this.#pick([["a"], ["a", "b"]]))];
    while (programs.every(({ restriction }) => restriction === "none"))
      programs = [programOf(["a"]), programOf(["a", "b"])];
    let [count, breakAt, fate] = [0, Number.POSITIVE_INFINITY, "lost" as (typeof FATES)[number]];
    const proxy = await LossyProxy.start(this.server.url, async () => {
      await this.#look().catch((error: unknown) => this.#faults.push(String(error)));
      tried.requests++;
      if (++count < breakAt) return "answered";
      if (fate === "late") return count === breakAt ? fate : "answered";
      if (fate !== "killed") return count === breakAt ? fate : "lost";
      engine.kill();
      return count === breakAt ? "answered" : "lost";
    });
    const engine = new SmallEngine(this.provider, {
      TUNNELPLANE_BASE_URL: proxy.url,
      TUNNELPLANE_API_KEY: this.server.apiKey,
    });
    await this.#runAll(engine, programs, async (at, how, run) => {
      [count, breakAt, fate] = [0, at, how];
      await run();
      return count;
    });
  }

  async #runAll(
    engine: SmallEngine,
    programs: readonly Program[],
    breaking: (at: number, fate: (typeof FATES)[number], run: () => Promise<unknown>) => Promise<number>,
  ): Promise<void> {
    const whole = (program: Program | undefined) =>
      breaking(Number.POSITIVE_INFINITY, "lost", () =>
        engine.up(program ? resourcesOf(program, this.#own) : []),
      );
    let before: Program | undefined;
    const goals = new Map<Program, Map<string, string>>();
    for (const program of programs) {
      if (before) engine.taint(program.replaced);
      await whole(program);
      goals.set(program, await this.#look());
      before = program;
    }
    const expectSeen = (between: readonly Program[], also: readonly string[], what: string) => {
      for (const [request, outcomes] of this.#seen) {
        const allowed = [...between.map((program) => goals.get(program)?.get(request)), ...also];
        // A new address may get the old restriction first: it lets in nobody whom "closed" would not.
        if (allowed.includes("closed")) allowed.push("refused");
        // The native provider learns of a route or module after its edge: a new address is as open as the
        // old.
        if (this.provider === "native")
          allowed.push(goals.get(between[0] as Program)?.get(request.replace(" b.", " a.")));
        expect(allowed, `${request} in ${what}`).to.include.members([...outcomes]);
      }
    };
    let from = programs[1] as Program;
    for (let at = 1, isWhole = false; !isWhole; at++) {
      const fate = FATES[(at + this.pair) % FATES.length] as (typeof FATES)[number];
      const to = programs.find((program) => program !== from) as Program;
      this.#seen.clear();
      engine.taint(to.replaced);
      tried.broken++;
      const count = await breaking(at, fate, () =>
        engine.up(resourcesOf(to, this.#own)).catch(() => undefined),
      );
      isWhole = count < at;
      await this.#look();
      await whole(to);
      expect(this.#faults).to.deep.equal([]);
      const what = `${JSON.stringify({ from, to, fate, at })}`;
      expect(Object.fromEntries(await this.#look()), what).to.deep.equal(
        Object.fromEntries(goals.get(to) ?? []),
      );
      expectSeen([from, to], [], what);
      await this.#expectDeclared(engine, what);
      from = to;
      if (isWhole || at % STEPS > 0) continue;
      const next = programs.find((program) => program !== from) as Program;
      this.#seen.clear();
      engine.taint(next.replaced);
      await breaking(at, fate, () => engine.up(resourcesOf(next, this.#own)).catch(() => undefined));
      await whole(undefined);
      expectSeen([from, next], ["closed", "not_found"], `${what}, destroyed`);
      await this.#expectDeclared(engine, what);
      await whole(from);
    }
    await whole(undefined);
    expect(engine.rows).to.deep.equal([]);
  }

  /** The server has the edges and routes of the state, and no others of this pair. */
  async #expectDeclared(engine: SmallEngine, what: string): Promise<void> {
    expect(
      engine.rows.filter((row) => row.delete),
      what,
    ).to.deep.equal([]);
    const { body } = await this.server.rest.get(`/edges/${this.#kind}`);
    const edges = (Object.values(body).find(Array.isArray) as Edge[]).filter(({ hostports }) =>
      hostports.some((one) => one.includes(this.#own)),
    );
    const ids = edges.flatMap(({ id, routes = [] }) => [id, ...routes.map((route) => `${id}/${route.id}`)]);
    const recorded = engine.rows.flatMap(({ name, id }) => (["edge", "route"].includes(name) ? [id] : []));
    expect(ids, what).to.have.members(recorded);
    for (const { waits_for, routes = [] } of edges)
      expect([waits_for, ...routes.map((route) => route.waits_for)].filter(Boolean), what).to.deep.equal([]);
  }
}

interface Edge {
  readonly id: string;
  readonly hostports: readonly string[];
  readonly waits_for: object | null;
  readonly routes?: readonly { readonly id: string; readonly waits_for: object | null }[];
}
