import { type Database, onEveryDatabase, onOneDatabase, rowsIn, type Start, settled } from "../databases";
import { Rest, type RestAnswer } from "../rest";
import type { ServerProcess } from "../server";

export type Json = Record<string, unknown>;
/** A well-formed id that no object has: `ipp_000…1`. */
export const unknownId = (prefix: string): string => `${prefix}_${"0".repeat(26)}1`;
let counter = 0;
export const unique = (word = "n"): string => `${word}${++counter}`;
export const hostport = (): string => `${unique("host")}.example.com:443`;
let port = 19_999;
/** A port of its own: connections over TCP say no name. */
export const tcpHostport = (): string => `db.example.com:${++port}`;

/** A client that fills `{edge_id}` in a path with one HTTPS edge, created on first use, for its children. */
export class RestBelowEdge extends Rest {
  private edgeId: Promise<string> | undefined;

  override async request(
    method: string,
    path: string,
    ...more: [body?: unknown, headers?: Record<string, string>]
  ): Promise<RestAnswer> {
    return super.request(method, await this.filled(path), ...more);
  }

  async filled(path: string): Promise<string> {
    if (!path.includes("{edge_id}")) return path;
    this.edgeId ??= this.post("/edges/https", { hostports: [hostport()] }).then(({ body }) => body.id);
    return path.replace("{edge_id}", await this.edgeId);
  }
}

/** The server of a test file, started before its first test and stopped after the last. */
class ServerOfThisFile {
  private process: ServerProcess | undefined;
  private client: RestBelowEdge | undefined;

  constructor(start: Start) {
    before("start a server", async () => {
      this.process = await start();
      this.client = new RestBelowEdge(this.process.url, this.process.apiKey);
    });
  }

  private get running(): ServerProcess {
    if (!this.process) throw new Error("The server runs only while tests do");
    return this.process;
  }

  get url(): string {
    return this.running.url;
  }

  get data(): string {
    return this.running.data;
  }

  get apiKey(): string {
    return this.running.apiKey;
  }

  get pid(): number {
    return this.running.pid;
  }

  get rest(): RestBelowEdge {
    if (!this.client) throw new Error("The server runs only while tests do");
    return this.client;
  }

  get log(): string {
    return this.running.log;
  }

  logDuring = (run: () => Promise<unknown>): Promise<string> => this.running.logDuring(run);
  passAnHour = (): void => this.running.passAnHour();

  /** Queries the database, for what no answer shows, once committed changes have their place in the logs. */
  async query(statement: string): Promise<unknown[]> {
    await settled(this.running.data);
    return rowsIn(this.running.data, statement);
  }

  async uriOf(path: string): Promise<string> {
    return this.url + (await this.rest.filled(path));
  }

  /** A request with exactly these headers, for requests that no proper client sends. */
  async bare(path: string, headers: Record<string, string>): Promise<RestAnswer> {
    return bare(await this.uriOf(path), headers);
  }

  /** The headers every request needs, without the named ones. */
  headersWithout(...names: string[]): Record<string, string> {
    const all = { authorization: `Bearer ${this.running.apiKey}`, "service-version": "2" };
    return Object.fromEntries(Object.entries(all).filter(([name]) => !names.includes(name)));
  }

  async created(path: string, body: unknown): Promise<RestAnswer["body"]> {
    return this.rest.created(path, body);
  }

  /** A bot, which is not an admin unless its fields say so, and the API as that bot sees it. */
  async member(fields: Json = {}) {
    const bot = await this.created("/bot_users", { name: unique("bot"), ...fields });
    const key = await this.created("/api_keys", { owner_id: bot.id });
    return { bot, key, rest: new Rest(this.url, key.token) };
  }

  async read(path: string): Promise<RestAnswer["body"]> {
    const answer = await this.rest.get(path);
    expect(answer.status, answer.text).to.equal(200);
    return answer.body;
  }

  async etag(path: string): Promise<string> {
    const etag = (await this.rest.get(path)).headers.get("etag") ?? "";
    expect(etag).to.match(/^"[^"]+"$/);
    return etag;
  }

  /** Runs an attempt that must be refused, checks how, and that the object at the path stays as it was. */
  async unchangedBy(
    path: string,
    attempt: () => Promise<RestAnswer>,
    refusal?: Refusal,
  ): Promise<RestAnswer> {
    const [before, etag] = [await this.read(path), await this.etag(path)];
    const answer = await attempt();
    if (refusal) expectRefused(answer, refusal);
    else expect(answer.status, answer.text).to.be.at.least(400);
    expect(await this.read(path)).to.deep.equal(before);
    expect(await this.etag(path)).to.equal(etag);
    return answer;
  }
}

async function bare(url: string, headers: Record<string, string>): Promise<RestAnswer> {
  const response = await fetch(url, { headers });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
}

export const serverOfThisFile = (start: Start): ServerOfThisFile => new ServerOfThisFile(start);

type ApiTests = (server: ServerOfThisFile, start: Start, database: Database) => void;
const withServer =
  (tests: ApiTests) =>
  (start: Start, database: Database): void =>
    tests(serverOfThisFile(start), start, database);

/** As `onEveryDatabase` and `onOneDatabase`, with one server for all cases. */
export const apiOnEveryDatabase = (title: string, tests: ApiTests): void =>
  onEveryDatabase(title, withServer(tests));
export const apiOnOneDatabase = (title: string, tests: ApiTests): void =>
  onOneDatabase(title, withServer(tests));

export interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly field?: string;
  /** Words that help to fix it. */
  readonly mentions?: readonly string[];
}

export function expectRefused(answer: RestAnswer, { status, code, field, mentions = [] }: Refusal): void {
  expect(answer.status, answer.text).to.equal(status);
  expect(answer.headers.get("content-type")).to.match(/^application\/json\b/);
  const { guarantees: _, ...body } = answer.body;
  expect(body).to.have.all.keys("error_code", "status_code", "msg", "details");
  expect(answer.body).to.include({ error_code: code, status_code: status });
  expect(answer.body.msg).to.be.a("string").that.is.not.empty;
  for (const value of Object.values(answer.body.details)) expect(value).to.be.a("string");
  expect(answer.body.details.operation_id).to.equal(answer.headers.get("x-request-id"));
  if (field !== undefined) expect(answer.body.details.field, answer.text).to.equal(field);
  for (const word of mentions) expect(answer.body.msg).to.include(word);
}

export const notJson = { status: 400, code: "TP_1000" };
export const invalid = (field?: string, ...mentions: string[]): Refusal => ({
  status: 400,
  code: "TP_1001",
  field,
  mentions,
});
export const unknownField = (field: string, ...mentions: string[]): Refusal => ({
  status: 400,
  code: "TP_1002",
  field,
  mentions,
});
export const immutable = (field: string): Refusal => ({ status: 400, code: "TP_1003", field });
export const missingReference = (field: string, ...mentions: string[]): Refusal => ({
  status: 400,
  code: "TP_1004",
  field,
  mentions,
});
export const wrongKind = (field?: string): Refusal => ({ status: 400, code: "TP_1005", field });
export const badQuery = { status: 400, code: "TP_1007" };
export const notFound = { status: 404, code: "TP_1300" };
export const noSuchPath = { status: 404, code: "TP_1301" };
export const notConfigured = { status: 404, code: "TP_1302" };
export const inUse = (...users: string[]): Refusal => ({ status: 409, code: "TP_1500", mentions: users });
export const taken = (field: string): Refusal => ({ status: 409, code: "TP_1501", field });
export const unavailable = { status: 503, code: "TP_1801" };
export const overloaded = { status: 503, code: "TP_1802" };
export const stale = { status: 412, code: "TP_1600" };
