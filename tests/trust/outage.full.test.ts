import { DISK_THAT_FAILS_TO_SYNC, DISKS_THAT_REFUSE, type Disk } from "../support/disks";
import { PostgresServer } from "../support/postgres";
import { ServerProcess } from "../support/server";
import { figure, LIMIT_MS, size } from "../support/size";
import { Writers } from "./writers";

const ROUNDS = size(1, 10);
const WRITES = size(100, 200);

/** Lets all clients write until so many more writes are acknowledged. */
const someMore = (writers: Writers, server: ServerProcess, writes = WRITES): Promise<void> => {
  const enough = writers.acknowledged + writes;
  return writers.run(server, () => writers.acknowledged >= enough);
};

const tell = ({ acknowledged, refused, inDoubt }: Writers): void =>
  figure(
    `${acknowledged} writes acknowledged and kept, ${refused} refused and without a trace, ${inDoubt} in doubt`,
  );

for (const fault of [...DISKS_THAT_REFUSE, DISK_THAT_FAILS_TO_SYNC]) {
  describe(`On SQLite: a server whose disk ${fault.name}`, () => {
    if (fault.missing) {
      it(`skipped: ${fault.missing}`, function () {
        this.skip();
      });
      return;
    }

    let disk: Disk;
    let writers: Writers;
    let server: ServerProcess;
    before("start a server on a disk of its own", async () => {
      disk = fault.create();
      writers = new Writers();
      server = await ServerProcess.start({ data: disk.folder });
    });

    /** Lets all clients write on a broken disk until so many writes are refused. */
    const turnedDown = async (): Promise<void> => {
      const { refused, inDoubt } = writers;
      const enough = refused + inDoubt + WRITES / 2;
      await writers.run(server, () => writers.refused + writers.inDoubt >= enough);
      if (fault === DISK_THAT_FAILS_TO_SYNC) expect(writers.refused, "refused").to.equal(refused);
      else expect(writers.inDoubt, "in doubt").to.equal(inDoubt);
    };
    const expectReadable = async (): Promise<void> => {
      const rest = server.rest;
      expect((await rest.get("/edges/tls?limit=1")).status).to.equal(200);
      expect((await fetch(`${server.url}/livez`)).status).to.equal(200);
    };
    const words =
      fault === DISK_THAT_FAILS_TO_SYNC
        ? "never says that a write was kept"
        : "answers writes with 503, having changed nothing";

    it(`${words}, goes on reading, and writes again by itself after the repair: ${ROUNDS} times`, async function () {
      this.timeout(LIMIT_MS);
      for (let round = 0; round < ROUNDS; round++) {
        await someMore(writers, server);
        const mend = await disk.break(server);
        try {
          await turnedDown();
          await expectReadable();
        } finally {
          await mend();
        }
        await someMore(writers, server);
        await writers.check(disk.folder);
      }
      tell(writers);
    });

    it(`loses nothing that it acknowledged if it is killed meanwhile, and keeps nothing that it refused: ${ROUNDS} times`, async function () {
      this.timeout(LIMIT_MS);
      for (let round = 0; round < ROUNDS; round++) {
        const mend = await disk.break(server);
        try {
          await turnedDown();
          await server.stop("SIGKILL");
        } finally {
          await mend();
        }
        server = await ServerProcess.start({ data: disk.folder });
        await writers.check(disk.folder);
        await someMore(writers, server);
      }
      tell(writers);
    });
  });
}

describe("On PostgreSQL: a server whose database goes away while 50 write", () => {
  let postgres: PostgresServer;
  let data: string;
  let server: ServerProcess;
  before("start a server on a PostgreSQL that no other test needs", async () => {
    postgres = await PostgresServer.start();
    data = await postgres.newDatabase();
    server = await ServerProcess.start({ data });
  });

  const OUTAGES: Readonly<Record<string, () => Promise<void>>> = {
    "all its connections are cut": async () => {
      const session = await postgres.connect(data);
      await session.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
      );
      await session.end();
    },
    "PostgreSQL stops and starts again": async () => {
      await postgres.pause();
      await postgres.resume();
    },
  };
  const writers = new Writers();

  for (const [what, outage] of Object.entries(OUTAGES))
    it(`keeps acknowledged writes and recovers by itself if ${what}: ${ROUNDS} times`, async function () {
      this.timeout(LIMIT_MS);
      const lost = writers.refused + writers.inDoubt;
      for (let round = 0; round < ROUNDS; round++) {
        const { acknowledged } = writers;
        let goneAndBack: Promise<void> | undefined;
        let enough = Number.POSITIVE_INFINITY;
        await writers.run(server, () => {
          if (writers.acknowledged >= acknowledged + WRITES / 4)
            goneAndBack ??= outage().then(() => {
              enough = writers.acknowledged + WRITES;
            });
          return writers.acknowledged >= enough;
        });
        await goneAndBack;
      }
      await writers.check(data);
      expect(writers.refused + writers.inDoubt).to.be.greaterThan(lost);
      tell(writers);
    });
});
