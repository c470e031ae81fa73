import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Json, serverOfThisFile } from "../support/api/expect";
import { moduleFixtures } from "../support/api/modules";
import { TYPES } from "../support/api/types";
import { onEveryDatabase } from "../support/databases";
import { newFolder } from "../support/folder";
import { Promises } from "../support/promises";
import { exchange } from "../support/rawHttp";
import { ServerProcess } from "../support/server";
import { figure, LIMIT_MS, SOAK, size } from "../support/size";
import { memoryOf } from "../support/underAttack";
import { Dice, mutated, withItsLength } from "./mutations";

const FUZZER = join(__dirname, "../../node_modules/.tunnelplane/schemathesis/bin/schemathesis");
const FROM_THE_DOCUMENT = size(400, 100_000);
const EXAMPLES = size(2, 700); // for each operation
/** Coverage tries each keyword of each schema: some 13,000 requests, which take 60 s of processor time. */
const PHASES = SOAK ? "examples,coverage,fuzzing" : "examples,fuzzing";
const MUTATED = size(500, 100_000);
const AT_ONCE = 32;
const PATIENCE_MS = 60_000;
/** Measured at 520 after 29 types; 502 before the wrong bytes came. */
const MAX_MEMORY_MIB = 576;

describe("Requests generated from the OpenAPI document", () => {
  if (!existsSync(FUZZER)) {
    it("skipped: the fuzzer could not be installed, because Python 3 with venv is missing", function () {
      this.skip();
    });
    return;
  }

  it(`get no 5xx and no answer outside of that document: more than ${FROM_THE_DOCUMENT}`, async function () {
    this.timeout(LIMIT_MS);
    const server = await ServerProcess.start({ args: ["--log-level", "error"] });
    const headers = [
      `Authorization: Bearer ${server.apiKey}`,
      "Service-Version: 2",
      "Tunnelplane-Project: default", // others do not exist, and would hide what a request does
    ];
    const args = [
      ...[
        ...["--config-file", join(__dirname, "fuzzer/schemathesis.toml"), "run"],
        `${server.url}/openapi-wire.json`,
      ],
      ...["--checks", "all", "--no-color", "--phases", PHASES],
      ...headers.flatMap((header) => ["--header", header]),
      // With more workers, Python 3.11 fails ("AST constructor recursion depth mismatch").
      ...["--max-examples", String(EXAMPLES), "--workers", "1"],
    ];
    const folder = newFolder(); // the fuzzer writes files into its working folder
    const memory = boundedMemoryOf(server.pid);
    const { code, output } = await run(FUZZER, args, folder);
    expect(code, failuresIn(output)).to.equal(0);
    const generated = Number(/(\d+) generated/.exec(output)?.[1]);
    expect(generated).to.be.at.least(FROM_THE_DOCUMENT);
    expect(server.log, "nothing failed inside").to.equal("");
    figure(`${generated} requests`);
    memory.expectBounded();
  });
});

onEveryDatabase("Requests with some wrong bytes", (start) => {
  const server = serverOfThisFile(() => start({ args: ["--log-level", "error"] }));
  /** A valid request for every operation that takes more than a path. */
  const goodRequests = async (): Promise<Buffer[]> => {
    const requests: Buffer[] = [];
    const add = async (method: string, path: string, body?: Json): Promise<void> => {
      const { pathname, search } = new URL(await server.uriOf(path));
      const headers = {
        host: new URL(server.url).host,
        ...server.headersWithout(),
        "content-type": "application/json",
      };
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
      const text = `${method} ${pathname}${search} HTTP/1.1\r\n${lines.join("")}Content-Length: 0\r\n\r\n${body ? JSON.stringify(body) : ""}`;
      requests.push(withItsLength(Buffer.from(text)));
    };
    for (const type of TYPES) {
      const { id } = await server.created(type.path, await type.body(server.rest));
      await add("POST", type.path, {
        description: "one",
        metadata: "more",
        ...(await type.body(server.rest)),
      });
      await add("GET", `${type.path}?limit=2&before_id=${id}`);
      await add("GET", `${type.path}/${id}`);
      await add("PATCH", `${type.path}/${id}`, {
        description: "changed",
        metadata: "changed",
        ...type.update,
      });
    }
    for (const prefix of ["edgtls", "edghtsrt"]) {
      const owner = TYPES.find((type) => type.prefix === prefix);
      if (!owner) throw new Error(`No resource type has the prefix ${prefix}`);
      const modules = await moduleFixtures(server, prefix);
      const { id } = await server.created(owner.path, await owner.body(server.rest));
      for (const [name, { first }] of Object.entries(modules))
        await add("PUT", `${owner.path}/${id}/${name}`, first);
    }
    return requests;
  };

  it(`get no 5xx and no answer outside of the OpenAPI document, and the server goes on: ${MUTATED}`, async function () {
    this.timeout(LIMIT_MS);
    const requests = await goodRequests();
    const promises = new Promises(await server.read("/openapi-wire.json"));
    const dice = new Dice(MUTATED);
    const memory = boundedMemoryOf(server.pid);
    const statuses: Record<string, number> = {};
    let left = MUTATED;
    const send = async (): Promise<void> => {
      while (left-- > 0) {
        const bytes = mutated(requests, dice);
        const line = bytes.toString("latin1").trimStart().split("\r\n")[0] ?? "";
        // Node closes the connection without an answer for an empty request and for CONNECT.
        const nothing = line.trim() === "" || line.startsWith("CONNECT ");
        const answer =
          (await exchange(server.url, bytes)) ??
          (nothing ? undefined : await exchange(server.url, bytes, PATIENCE_MS));
        const status = answer?.status ?? "none";
        statuses[status] = (statuses[status] ?? 0) + 1;
        const fault = answer ? promises.fault(line, answer) : nothing ? undefined : "there is none";
        if (!fault) continue;
        left = 0;
        expect.fail(
          `${fault}: ${answer?.status} ${answer?.text} to ${JSON.stringify(bytes.toString("latin1").slice(0, 4_000))}`,
        );
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, send));
    expect(server.log, "nothing failed inside").to.equal("");
    figure(
      `answers by status: ${Object.entries(statuses)
        .map(([status, count]) => `${count} × ${status}`)
        .join(", ")}`,
    );
    memory.expectBounded();
    for (const type of TYPES) {
      const { id } = await server.created(type.path, await type.body(server.rest));
      expect((await server.rest.delete(`${type.path}/${id}`)).status).to.equal(204);
    }
  });
});

/** The failures that the fuzzer found, or the end of its output; without the pages of warnings. */
const failuresIn = (output: string): string =>
  (/=+ (?:FAILURES|ERRORS) =+[\s\S]*?(?==+ (?:WARNINGS|SUMMARY) =+)/.exec(output)?.[0] ?? output).slice(
    -8_000,
  );

function boundedMemoryOf(pid: number): { expectBounded(): void } {
  const before = Math.round(memoryOf(pid));
  return {
    expectBounded() {
      const after = Math.round(memoryOf(pid));
      figure(`memory of the server: ${before} MiB before, ${after} MiB after`);
      expect(after).to.be.lessThan(MAX_MEMORY_MIB);
    },
  };
}

function run(command: string, args: string[], cwd: string): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    execFile(
      command,
      args,
      { cwd, timeout: LIMIT_MS, maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) =>
        resolve({ code: error ? Number(error.code ?? 1) : 0, output: stdout + stderr }),
    );
  });
}
