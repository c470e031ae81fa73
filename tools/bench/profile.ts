import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../tests/support/ports";
import { LoadGenerator } from "./load";
import type { Row, Section } from "./report/section";
import { CONNECTIONS, startServers } from "./server/contender";
import { jobOf, OPERATIONS } from "./server/subject";
import type { Settings } from "./settings";

/** The part of the inspector's profile that is used here. */
interface Profile {
  readonly nodes: readonly {
    id: number;
    hitCount: number;
    callFrame: { functionName: string; url: string; lineNumber: number };
  }[];
}

const SHOWN = 15;

/**
 * Prints where the server spends its processor time, by operation. Writes a .cpuprofile for each; editors and
 * browsers open it.
 */
export async function profileServer({ seconds, warmUp }: Settings): Promise<Section[]> {
  const folder = mkdtempSync(join(tmpdir(), "tunnelplane-profile-"));
  const results = join(__dirname, "results");
  mkdirSync(results, { recursive: true });
  const generator = new LoadGenerator();
  const port = await freePort();
  const server = await startServers(folder, 1, generator, {
    env: { NODE_OPTIONS: `--inspect=127.0.0.1:${port}` },
  });
  try {
    const inspector = await Inspector.open(port);
    const sections: Section[] = [];
    for (const operation of OPERATIONS) {
      const load = { ...server, ...jobOf(server, operation), connections: CONNECTIONS };
      await generator.run({ ...load, warmUp, seconds: warmUp });
      await inspector.call("Profiler.start");
      await generator.run({ ...load, warmUp: 0, seconds });
      const { profile } = (await inspector.call("Profiler.stop")) as { profile: Profile };
      const file = join(results, `${operation.replaceAll(/\W+/g, "-")}.cpuprofile`);
      writeFileSync(file, JSON.stringify(profile));
      sections.push({
        part: "profile",
        title: operation,
        note: file,
        columns: { name: "function", share: "% self", where: "" },
        rows: top(profile),
      });
    }
    inspector.close();
    return sections;
  } finally {
    generator.stop();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function top({ nodes }: Profile): Row[] {
  const hits = new Map<string, number>();
  let all = 0;
  for (const { hitCount, callFrame } of nodes) {
    const { functionName, url, lineNumber } = callFrame;
    if (functionName === "(idle)") continue;
    all += hitCount;
    const where = url ? `${url.replace(/^.*\/(node_modules|server|sdk)\//, "")}:${lineNumber + 1}` : "";
    const name = `${functionName || "(anonymous)"}\n${where}`;
    hits.set(name, (hits.get(name) ?? 0) + hitCount);
  }
  return [...hits]
    .sort(([, a], [, b]) => b - a)
    .slice(0, SHOWN)
    .map(([key, count]) => {
      const [name = "", where = ""] = key.split("\n");
      return { name, share: Math.round((count / all) * 1000) / 10, where };
    });
}

/** The inspector of a Node process: https://chromedevtools.github.io/devtools-protocol/ */
class Inspector {
  readonly #waiting = new Map<number, (result: unknown) => void>();
  #calls = 0;

  private constructor(private readonly socket: WebSocket) {
    socket.addEventListener("message", ({ data }) => {
      const { id, result } = JSON.parse(data as string) as { id?: number; result?: unknown };
      if (id !== undefined) this.#waiting.get(id)?.(result);
    });
  }

  static async open(port: number): Promise<Inspector> {
    const [{ webSocketDebuggerUrl: url }] = (await (
      await fetch(`http://127.0.0.1:${port}/json/list`)
    ).json()) as [{ webSocketDebuggerUrl: string }];
    const socket = new WebSocket(url);
    await new Promise((resolve, reject) => {
      socket.addEventListener("open", resolve);
      socket.addEventListener("error", () => reject(new Error(`The inspector at ${url} does not answer`)));
    });
    const inspector = new Inspector(socket);
    await inspector.call("Profiler.enable");
    return inspector;
  }

  call(method: string): Promise<unknown> {
    const id = ++this.#calls;
    this.socket.send(JSON.stringify({ id, method }));
    return new Promise((resolve) => this.#waiting.set(id, resolve));
  }

  close(): void {
    this.socket.close();
  }
}
