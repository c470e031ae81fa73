import { expectRefused, unavailable } from "../support/api/expect";
import { runOn } from "../support/commandLine";
import { rowsIn, settled } from "../support/databases";
import { Rest, type RestAnswer } from "../support/rest";
import type { ServerProcess } from "../support/server";

const WRITERS = 50;
const EDGES = "/edges/tls";
/** A possible state of an object: its revision, or absent. */
type State = number | "absent";

interface Edge {
  readonly id: string;
  readonly version: number;
  readonly description: string;
  readonly metadata: string;
  readonly hostports: readonly string[];
}

/**
 * Clients that write at the same time, and remember the acknowledged state of every object.
 *
 * Each creates an edge with a backend and two hostports, moves it to other hostports, deletes every third
 * one, and goes on with the next. So every write changes an object, its references and unique values. After
 * an acknowledged write, an object has one possible state. Without an answer, or if the server says that it
 * does not know, it has the old or the new one.
 */
export class Writers {
  acknowledged = 0;
  /** The number of answers that promise that nothing was changed. */
  refused = 0;
  /** The number of writes without an answer, or with one that promises nothing. */
  inDoubt = 0;
  readonly #states = new Map<string, readonly State[]>();
  #backend: string | undefined;

  /** Writes until the server is gone or `enough`, which is called after each answer, returns true. */
  async run({ url, apiKey }: ServerProcess, enough: () => boolean): Promise<void> {
    const rest = new Rest(url, apiKey);
    this.#backend ??= (await rest.post("/backends/tunnel_group", { labels: { app: "shop" } })).body
      .id as string;
    await Promise.all(Array.from({ length: WRITERS }, () => this.#write(rest, enough)));
  }

  async #write(rest: Rest, enough: () => boolean): Promise<void> {
    try {
      while (!enough()) {
        const name = `edge-${this.#states.size + 1}`;
        const created = await this.#expect(
          name,
          ["absent"],
          1,
          rest.post(EDGES, revision(name, 1, this.#backend)),
        );
        if (!created || enough()) continue;
        const updated = await this.#expect(
          name,
          [1],
          2,
          rest.patch(`${EDGES}/${created.body.id}`, revision(name, 2)),
        );
        if (!updated || enough() || this.acknowledged % 3 !== 0) continue;
        await this.#expect(name, [2], "absent", rest.delete(`${EDGES}/${created.body.id}`));
      }
    } catch (error) {
      // fetch throws this if the server closed the connection.
      if (!(error instanceof TypeError && /^(fetch failed|terminated)$/.test(error.message))) throw error;
    }
  }

  /** Returns the answer that acknowledges the write; undefined if it was refused or is unknown. */
  async #expect(
    name: string,
    before: readonly State[],
    after: State,
    sent: Promise<RestAnswer>,
  ): Promise<RestAnswer | undefined> {
    this.#states.set(name, [...before, after]);
    this.inDoubt++;
    const answer = await sent;
    if (answer.status === 500) {
      expectRefused(answer, {
        status: 500,
        code: "TP_1800",
        mentions: ["not known whether the change was made"],
      });
      return undefined;
    }
    this.inDoubt--;
    if (answer.status === 503) {
      expectRefused(answer, unavailable);
      expect(answer.headers.get("retry-after")).to.match(/^\d+$/);
      this.#states.set(name, before);
      this.refused++;
      return undefined;
    }
    expect(answer.status, answer.text).to.be.oneOf([200, 201, 204]);
    this.#states.set(name, [after]);
    this.acknowledged++;
    return answer;
  }

  /** Checks in the database that every object is complete, and as its writer remembers it. */
  async check(data: string): Promise<void> {
    await settled(data);
    const rows = await rowsIn(data, "select id, version, document from resource where kind = 'tls_edge'");
    const edges = rows.map(
      ({ document, version }): Edge => ({ ...JSON.parse(document), version: Number(version) }),
    );
    const found = new Map(edges.map((edge) => [edge.description, edge]));
    expect(found.size, "no object is there twice").to.equal(edges.length);
    for (const { description } of edges)
      expect(this.#states.has(description), `${description} was asked for`).to.equal(true);
    for (const [name, states] of this.#states) {
      const edge = found.get(name);
      expect(
        edge ? Number(edge.metadata) : "absent",
        `${name}, which its writer left as ${states.join(" or ")}`,
      ).to.be.oneOf(states);
      if (edge)
        expect(edge).to.deep.include({
          version: Number(edge.metadata),
          hostports: hostportsOf(name, edge.version),
        });
    }
    await this.#expectWhole(data, edges);
  }

  /** Checks that the other rows of a write exist for each object, and for nothing else. */
  async #expectWhole(data: string, edges: readonly Edge[]): Promise<void> {
    const beside = async (statement: string): Promise<string[]> =>
      (await rowsIn(data, statement)).map(({ line }) => line).sort();
    expect(await beside("select resource_id || ' ' || value as line from unique_key")).to.deep.equal(
      edges.flatMap(({ id, hostports }) => hostports.map((hostport) => `${id} ${hostport}`)).sort(),
    );
    expect(await beside("select from_id || ' ' || to_id as line from reference")).to.deep.equal(
      edges.map(({ id }) => `${id} ${this.#backend}`).sort(),
    );
    // One event and one row of the audit log for each revision.
    const acknowledged = edges.map(({ id, version }) => `${id} ${version}`).sort();
    expect(
      await beside(
        "select object_id || ' ' || count(*) as line from event where object_id in (select id from resource where kind = 'tls_edge') group by object_id",
      ),
    ).to.deep.equal(acknowledged);
    expect(
      await beside(
        "select audit_event.object_id || ' ' || count(*) as line from audit_event join event on event.id = event_id and event.sequence = audit_event.sequence where audit_event.object_id in (select id from resource where kind = 'tls_edge') group by audit_event.object_id",
      ),
    ).to.deep.equal(acknowledged);
    const { code, err } = await runOn(data, "audit", "verify");
    expect(code, err).to.equal(0);
  }
}

const hostportsOf = (name: string, revision: number): string[] =>
  ["a", "b"].map((half) => `${half}${revision}.${name}.example.com:443`);

const revision = (name: string, number: number, backend?: string) => ({
  ...{ description: name, metadata: String(number), hostports: hostportsOf(name, number) },
  ...(backend && { backend: { backend_id: backend } }),
});
