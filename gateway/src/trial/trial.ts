import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { HttpsEdge } from "@tunnelplane/sdk";
import { definitionOf, hasEnded, isAddress, present } from "@tunnelplane/sdk/contract";
import {
  type Decision,
  type DecisionRequest,
  decisions,
  mayBind,
  type RequestSession,
  type World,
} from "@tunnelplane/sdk/meaning";
import { DevelopmentAuthority } from "../certificates/developmentAuthority";
import {
  HEALTH_SOCKET,
  hostportsIn,
  readHostport,
  socketOfHostport,
  socketOfLabels,
} from "../envoy/hostports";
import { issuersOf, keySetsOf } from "../envoy/issuers";
import { type EdgeState, type Environment, type Listen, type Objects, objectsOf } from "../envoy/model";
import { translate } from "../envoy/translate";
import { WEBHOOK_SOCKET } from "../envoy/webhooks";
import { freePort } from "../freePort";
import { type Answer, agrees } from "./agreement";
import { answeredObjects } from "./answered";
import { type Asked, askedOf } from "./asked";
import { Authorities } from "./authorities";
import { send } from "./caller";
import { TrialFolder } from "./folder";
import type { HttpAnswer } from "./http1";
import { agentsOf, codeFor, StandIns, TOKEN_PATH, WHO } from "./standIns";
import { KeySets } from "./tokens";
import { TrialEnvoy } from "./trialEnvoy";

/** Each takes a socket of this machine. */
const MAX_LISTENERS = 20;
const SIGN_IN_PATH = "/.tunnelplane/trial/sign-in/";

/**
 * An Envoy on loopback that serves worlds, one after the other. Everything outside has a stand-in:
 * certificates, authorities of clients, key sets, issuers, backends and agents.
 */
export class Trial {
  readonly #authorities = new Authorities();
  readonly #keySets = new KeySets();
  readonly #standIns: StandIns;
  /** The port of this machine for each port of hostports. */
  readonly #bound = new Map<number, number>();
  #ports: ReadonlyMap<number, number> = new Map();
  #decider = decisions({ objects: [] });

  private constructor(
    private readonly folder: TrialFolder,
    private readonly envoy: TrialEnvoy,
    private readonly own: DevelopmentAuthority,
    private readonly trust: string,
  ) {
    this.#standIns = new StandIns(join(folder.path, "sockets"), own, this.#keySets);
  }

  /** @param program Envoy's */
  static async start(program: string): Promise<Trial> {
    const folder = TrialFolder.make();
    try {
      const own = await DevelopmentAuthority.make("tunnelplane trial");
      const trust = join(folder.path, "trust.pem");
      writeFileSync(trust, own.pem);
      return new Trial(folder, await TrialEnvoy.start(program, folder), own, trust);
    } catch (error) {
      await folder.remove();
      throw error;
    }
  }

  /** Serves a world, and returns the states of its edges. */
  async serve(world: World): Promise<readonly EdgeState[]> {
    const answered = answeredObjects(world);
    const read = objectsOf(answered.objects, world.now);
    const objects: Objects = {
      ...read,
      https_edge: read.https_edge.map(withTrialSecrets),
      certificate_authority: await this.#authorities.inPlaceOf(read.certificate_authority, answered.ids),
    };
    const issuers = new Map(issuersOf(objects).map((issuer) => [issuer, endpointsOf(issuer)]));
    for (const url of keySetsOf(objects, issuers)) if (URL.canParse(url)) this.#keySets.publish(url);
    this.#standIns.begin();
    const configuration = translate(objects, await this.#environment(objects, issuers, world));
    this.#startAgents(objects, world);
    this.#standIns.webhooks(join(this.folder.path, "sockets", WEBHOOK_SOCKET));
    this.#standIns.health(join(this.folder.path, "sockets", HEALTH_SOCKET));
    await this.#standIns.listen();
    await this.envoy.serve(configuration);
    this.#ports = await this.envoy.ports();
    this.#decider = decisions(world);
    return configuration.edges;
  }

  async #environment(
    objects: Objects,
    issuers: Environment["issuers"],
    { ports }: World,
  ): Promise<Environment> {
    const hostports = hostportsOf(objects);
    const served = [...new Set(hostports.map(({ port }) => port))].filter(
      (port) => ports === undefined || ports.includes(port),
    );
    const tcp = [...new Set(tcpHostportsOf(objects).map(({ port }) => port))];
    if (served.length + tcp.length > MAX_LISTENERS)
      throw new Error(
        `the edges of these requests have ${served.length + tcp.length} ports, and a trial has at most ${MAX_LISTENERS}: try fewer requests at once`,
      );
    return {
      certificates: await this.own.certificates([...new Set(hostports.map(({ host }) => host))]),
      listen: await this.#listening(served),
      tcpListen: await this.#listening(tcp),
      // So that a request may come from any address.
      balancers: { networks: ["127.0.0.0/8"], proxyProtocol: true },
      sockets: join(this.folder.path, "sockets"),
      trust: this.trust,
      issuers,
      upstreams: { find: (host, port) => ({ standIn: this.#standIns.at(host, port) }) },
      sessionKey: "of a trial",
      now: Date.now(),
    };
  }

  /**
   * Where ports are served. Each keeps its address: of two listeners at port 0, Envoy gives one the socket of
   * the other while that is replaced.
   */
  async #listening(ports: readonly number[]): Promise<Listen[]> {
    for (const port of ports) if (!this.#bound.has(port)) this.#bound.set(port, await freePort());
    return ports.map((port) => ({ port, address: "127.0.0.1", bindPort: present(this.#bound.get(port)) }));
  }

  /**
   * Starts an agent for each bind that a credential allows, or that a credential outside of a part of a world
   * may allow.
   */
  #startAgents(objects: Objects, { objects: all, partial, now = Date.now() }: World): void {
    const acls = all.flatMap(({ kind, fields }) =>
      (kind === "tunnel_credential" || kind === "ssh_credential") &&
      !hasEnded(definitionOf(kind), fields, now)
        ? [Array.isArray(fields.acl) ? fields.acl.map(String) : []]
        : [],
    );
    const start = (socket: string, binds: readonly string[], name: string) => {
      if (partial || acls.some((acl) => mayBind(acl, binds)))
        this.#standIns.agent(join(this.folder.path, "sockets", socket), name);
    };
    for (const { labels, project_id } of objects.tunnel_group_backend) {
      const pairs = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
      start(
        socketOfLabels(labels, project_id),
        pairs.map((one) => `bind:${one}`),
        agentsOf(labels),
      );
    }
    for (const { host, port } of [...hostportsOf(objects), ...tcpHostportsOf(objects)])
      start(socketOfHostport({ host, port }), [`bind:${host}:${port}`], agentsOf(`${host}:${port}`));
  }

  async ask(request: DecisionRequest): Promise<Answer> {
    const { address, session } = request;
    const asked = askedOf(request, this.#decider);
    const port = isAddress(address) ? this.#ports.get(readHostport(address).port) : undefined;
    if (port === undefined) return { status: null, answered_by: null };
    try {
      const answer = await this.#send(asked, port, session && session !== "unknown" ? session : undefined);
      return { status: answer.status || null, answered_by: answer.headers[WHO] ?? null };
    } catch (error) {
      return {
        status: null,
        answered_by: null,
        fault: error instanceof Error ? error.message : String(error),
      };
    }
  }

  /** Whether an answer is the one that was decided. */
  agrees = (decision: Decision, answer: Answer): boolean =>
    agrees(decision, answer, (name) => this.#standIns.has(name));

  /**
   * If the request has a session, and the route asks to sign in at its issuer, signs in first as the user
   * did.
   */
  async #send(request: Asked, port: number, session: RequestSession | undefined): Promise<HttpAnswer> {
    const means = { authorities: this.#authorities, keySets: this.#keySets };
    const answer = await send(request, port, means);
    const { location = "" } = answer.headers;
    const { pathname, searchParams } = new URL(location, "https://nowhere.invalid");
    if (!session || !pathname.startsWith(SIGN_IN_PATH)) return answer;
    const asking = decodeURIComponent(pathname.slice(SIGN_IN_PATH.length));
    const app = searchParams.get("client_id") ?? "";
    const { issuer = asking, client_id = app, claims } = session;
    if (issuer !== asking || client_id !== app) return answer;
    const back = new URL(searchParams.get("redirect_uri") ?? "");
    const code = codeFor({ issuer, audiences: [app], keys: endpointsOf(issuer).jwksUri, claims });
    const query = new URLSearchParams({ code, state: searchParams.get("state") ?? "" });
    const coming = { ...request, method: "GET", path: `${back.pathname}?${query}` };
    const signedIn = await send(coming, port, means, cookie(answer.cookies));
    return send(request, port, means, cookie(signedIn.cookies));
  }

  async stop(): Promise<void> {
    this.#standIns.stop();
    await this.envoy.stop();
    await this.folder.remove();
  }
}

const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : url);

const signInPath = (issuer: string): string => `${SIGN_IN_PATH}${encodeURIComponent(issuer)}`;

const endpointsOf = (issuer: string) => ({
  authorizationEndpoint: `${originOf(issuer)}${signInPath(issuer)}`,
  tokenEndpoint: `${originOf(issuer)}${TOKEN_PATH}`,
  jwksUri: `${originOf(issuer)}${TOKEN_PATH}/keys/${encodeURIComponent(issuer)}`,
});

const cookie = (set: readonly string[]): Record<string, string> => ({
  cookie: set.map((one) => one.split(";")[0]).join("; "),
});

const hostportsOf = ({ tls_edge, https_edge }: Objects) =>
  [...tls_edge, ...https_edge].flatMap(({ hostports }) => hostportsIn("https_edge", hostports));

const tcpHostportsOf = ({ tcp_edge }: Objects) =>
  tcp_edge.flatMap(({ hostports }) => hostportsIn("tcp_edge", hostports));

/** A world of a review may lack secrets; here a stand-in tells which webhooks are signed. */
const withTrialSecrets = (edge: HttpsEdge): HttpsEdge => ({
  ...edge,
  routes: edge.routes.map((route) =>
    route.webhook_verification
      ? { ...route, webhook_verification: { ...route.webhook_verification, secret: "of the trial" } }
      : route,
  ),
});
