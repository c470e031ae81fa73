import { cpus } from "node:os";
import { type Cost, measureFloor, measureOurs, PHASES, type Phase } from "./provider";

const COUNT = 100;
const ROUNDS = 3;

/** How many requests each phase may take. */
const EXPECTED: Record<Phase, number> = { preview: 0, create: COUNT, "no-op": 0, refresh: COUNT, "update all": COUNT, destroy: COUNT };

async function main(): Promise<void> {
  console.log(`${COUNT} resources on the real engine, with our provider and with one that does nothing; medians of ${ROUNDS} rounds.`);
  console.log(`Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model ?? "unknown processor"}\n`);
  const ours: Record<Phase, Cost>[] = [];
  const floor: Record<Phase, Cost>[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    // In turn, so that a machine that gets slower does so for both.
    floor.push(await measureFloor(COUNT));
    ours.push(await measureOurs(COUNT));
  }
  const row = (...cells: string[]) => console.log(cells.map((cell, index) => (index === 0 ? cell.padEnd(12) : cell.padStart(11))).join(""));
  row("phase", "floor CPU", "our CPU", "ratio", "floor wall", "our wall", "ratio", "requests", "expected");
  for (const phase of PHASES) {
    const [cpuFloor, cpuOurs] = [floor, ours].map((rounds) => median(rounds.map((round) => round[phase].cpu ?? Number.NaN))) as [
      number,
      number,
    ];
    const [wallFloor, wallOurs] = [floor, ours].map((rounds) => median(rounds.map((round) => round[phase].wall))) as [number, number];
    const requests = [...new Set(ours.map((round) => round[phase].requests))].join("/");
    row(
      phase,
      seconds(cpuFloor),
      seconds(cpuOurs),
      ratio(cpuOurs, cpuFloor),
      seconds(wallFloor),
      seconds(wallOurs),
      ratio(wallOurs, wallFloor),
      requests,
      String(EXPECTED[phase]),
    );
  }
}

const median = (values: number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] as number;
const seconds = (value: number): string => (Number.isNaN(value) ? "–" : `${value.toFixed(2)} s`);
const ratio = (value: number, floor: number): string => (Number.isNaN(value) ? "–" : `${(value / floor).toFixed(2)} ×`);

main().catch((error: Error) => {
  console.error(error.stack);
  process.exitCode = 1;
});
