import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import { atEndOfFile } from "./endOfFile";
import { ServerProcess } from "./server";
import { StandInServer } from "./standIn";

const ROOT = join(__dirname, "../..");
const PROGRAM = join(ROOT, "node_modules/.tunnelplane/hosted-go-client");
const HAS_GO = spawnSync("go", ["version"]).status === 0;

export interface ClientError {
  /** 0 if it came from no answer. */
  readonly status: number;
  readonly message: string;
}

/** The public Go client of the hosted service, behind a proxy that renames the one header that differs. */
export class HostedGoClient {
  private constructor(
    private readonly program: ChildProcess,
    private readonly lines: Interface,
  ) {}

  static async start({ url, apiKey }: { url: string; apiKey: string }): Promise<HostedGoClient> {
    execFileSync("go", ["build", "-o", PROGRAM, "."], { cwd: join(ROOT, "tests/clients/goClient/program") });
    const proxy = await StandInServer.start((request, response) => {
      const body: Buffer[] = [];
      request.on("data", (part) => body.push(part));
      request.on("end", async () => {
        const { authorization = "", "content-type": type, "ngrok-version": version = "" } = request.headers;
        const answer = await fetch(`${url}${request.url}`, {
          method: request.method,
          headers: {
            authorization,
            "service-version": String(version),
            ...(type && { "content-type": type }),
          },
          body: body.length > 0 ? Buffer.concat(body) : undefined,
        });
        const text = await answer.text();
        // Pages are read through the proxy as well.
        response.writeHead(answer.status, { "content-type": "application/json" });
        response.end(text.replaceAll(`"next_page_uri":"${url}`, `"next_page_uri":"${proxy.url}`));
      });
    });
    const program = spawn(PROGRAM, {
      env: { API_URL: proxy.url, API_KEY: apiKey },
      stdio: ["pipe", "pipe", "inherit"],
    });
    atEndOfFile(() => program.kill());
    if (!program.stdout) throw new Error("the Go client has no output");
    return new HostedGoClient(program, createInterface(program.stdout));
  }

  /** Makes one call, such as `("ip_policies", "Create", {…})`. @throws ClientError that the client returns */
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what is being tested
  async call(client: string, call: string, ...args: readonly unknown[]): Promise<any> {
    const answered = new Promise<string>((resolve, reject) => {
      const fail = () => reject(new Error("the Go client ended"));
      this.program.once("exit", fail);
      this.lines.once("line", (line) => {
        this.program.off("exit", fail);
        resolve(line);
      });
    });
    this.program.stdin?.write(`${JSON.stringify({ client, call, args })}\n`);
    const { answer, error } = JSON.parse(await answered);
    if (error) throw Object.assign(new Error(error.message), error);
    return answer;
  }

  async refusal(client: string, call: string, ...args: readonly unknown[]): Promise<ClientError> {
    const done = await this.call(client, call, ...args).then(
      (answer) => ({ answer }),
      (error: ClientError) => ({ error }),
    );
    if ("error" in done) return done.error;
    throw new Error(`${client}.${call} was not refused, and answered ${JSON.stringify(done.answer)}`);
  }
}

export function describeByHostedGoClient(
  title: string,
  tests: (client: () => HostedGoClient, server: () => ServerProcess) => void,
): void {
  (HAS_GO ? describe : describe.skip)(title, () => {
    let server: ServerProcess;
    let client: HostedGoClient;
    before(async () => {
      server = await ServerProcess.start();
      client = await HostedGoClient.start(server);
    });
    tests(
      () => client,
      () => server,
    );
  });
}
