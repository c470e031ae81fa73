import { sharedPostgres } from "./databases";
import { type Session, waiting } from "./postgres";
import type { Rest, RestAnswer } from "./rest";
import { ServerProcess } from "./server";

/** Two servers on one PostgreSQL database, from before the first test of a file until after its last. */
export class TwoServers {
  servers!: [ServerProcess, ServerProcess];
  url = "";
  one!: Rest;
  other!: Rest;
  #session!: Session;

  constructor() {
    before("start PostgreSQL and two servers at the same moment", async () => {
      const postgres = await sharedPostgres();
      this.url = await postgres.newDatabase();
      const start = () => ServerProcess.start({ data: this.url });
      this.servers = await Promise.all([start(), start()]);
      const [one, other] = this.servers;
      this.one = one.rest;
      this.other = other.rest;
      this.#session = await postgres.connect(this.url);
    });
    after(() => this.#session.end());
  }

  /** Blocks requests at a locked row, and releases them all at once, so that they certainly collide. */
  async collide(id: string, ...requests: (() => Promise<RestAnswer>)[]): Promise<RestAnswer[]> {
    await this.#session.query("begin");
    await this.#session.query("select from resource where id = $1 for update", [id]);
    const answers: Promise<RestAnswer>[] = [];
    for (const request of requests) {
      answers.push(request());
      await waiting(this.#session, answers.length);
    }
    await this.#session.query("commit");
    return Promise.all(answers);
  }

  /** Creates an object on one of them. */
  readonly created = (path: string, body: unknown, rest: Rest = this.one): Promise<RestAnswer["body"]> =>
    rest.created(path, body);
}
