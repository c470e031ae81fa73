import { onEveryDatabase, rowsIn } from "../support/databases";
import type { ServerProcess } from "../support/server";
import { figure, LIMIT_MS, size } from "../support/size";
import { Writers } from "./writers";

const KILLS = size(3, 200);

onEveryDatabase("A server that is killed again and again", (start, database) => {
  it(`loses nothing that it acknowledged, keeps no half changes, and starts again: ${KILLS} kills under 50 writers`, async function () {
    this.timeout(LIMIT_MS);
    const data = await database.create();
    const writers = new Writers();
    const readyAfter: number[] = [];
    let server = await start({ data });
    for (let round = 0; round < KILLS; round++) {
      await killUnder(writers, server, 20 + ((round * 37) % 300));
      const begin = performance.now();
      server = await start({ data });
      expect((await fetch(`${server.url}/readyz`)).status).to.equal(200);
      readyAfter.push(performance.now() - begin);
      await writers.check(data);
      if (database.name === "SQLite") await expectSound(data);
    }
    const [median, longest] = [0.5, 1].map((part) => Math.round(quantile(readyAfter, part)));
    figure(`${KILLS} kills, ${writers.acknowledged} acknowledged writes, ${writers.inDoubt} cut off`);
    figure(`ready again after ${median} ms (median), ${longest} ms (longest)`);
  });
});

/** Kills the server in the middle of writes, after so many more acknowledged ones. */
async function killUnder(writers: Writers, server: ServerProcess, writes: number): Promise<void> {
  const enough = writers.acknowledged + writes;
  let killed: Promise<unknown> | undefined;
  await writers.run(server, () => {
    if (writers.acknowledged >= enough) killed ??= server.stop("SIGKILL");
    return false;
  });
  await killed;
}

async function expectSound(data: string): Promise<void> {
  expect(await rowsIn(data, "pragma integrity_check")).to.deep.equal([{ integrity_check: "ok" }]);
  expect(await rowsIn(data, "pragma foreign_key_check")).to.deep.equal([]);
}

const quantile = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.ceil(part * values.length) - 1] ?? Number.NaN;
