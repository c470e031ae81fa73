import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { handleUnaryCall, ServiceError } from "@grpc/grpc-js";
import { credentials, Server, ServerCredentials } from "@grpc/grpc-js";
import { EngineService } from "@pulumi/pulumi/proto/engine_grpc_pb";
import type { LogRequest } from "@pulumi/pulumi/proto/engine_pb";
import { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import * as messages from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { atEndOfFile } from "../support/endOfFile";
import type { Recorded } from "../support/stackState";
import { ROOT } from "./cli";

export const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
export const secret = (value: unknown): object => ({
  "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
  value,
});

const urnOf = (type: string, name: string): string =>
  `urn:pulumi:dev::tunnels::tunnelplane:index:${type}::${name}`;

interface Listed {
  readonly found: string[];
  next: string | undefined;
}

/** A warning or a note that the plugin sent to the engine. */
type Message = { readonly urn: string; readonly text: string };

/** The programs that the engine starts, and where: a dynamic provider's packages are those of a project. */
const PROGRAMS = {
  native: { file: join(ROOT, "plugin/dist/main.js"), cwd: tmpdir() }, // the same for each, as in runs of one project
  dynamic: { file: require.resolve("@pulumi/pulumi/cmd/dynamic-provider"), cwd: ROOT },
} as const;

/** A provider, by default the native one, called as the engine calls it, with no `pulumi` on the PATH. */
export class Plugin {
  private constructor(
    private readonly process: ChildProcess,
    private readonly engine: Server,
    private readonly client: ResourceProviderClient,
    readonly logged: readonly Message[],
    readonly engineAddress: string,
  ) {
    atEndOfFile(() => this.stop());
  }

  /** Starts the provider, and configures it with settings of its own or, without any, by the environment. */
  static async start(
    env: Record<string, string>,
    settings: object = {},
    name = "default",
    provider: keyof typeof PROGRAMS = "native",
  ): Promise<Plugin> {
    const logged: Message[] = [];
    const engine = new Server();
    const log: handleUnaryCall<LogRequest, Empty> = ({ request }, answer) => {
      logged.push({ urn: request.getUrn(), text: request.getMessage() });
      answer(null, new Empty());
    };
    engine.addService(EngineService, { log });
    const address = await new Promise<number>((resolve, reject) =>
      engine.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) =>
        error ? reject(error) : resolve(port),
      ),
    );
    const { file, cwd } = PROGRAMS[provider];
    const plugin = spawn(process.execPath, [file, `127.0.0.1:${address}`], {
      cwd,
      env: { PATH: "/nowhere", PULUMI_BACKEND_URL: "file:///a-state", ...env },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [port] = await once(createInterface(plugin.stdout), "line");
    const client = new ResourceProviderClient(`127.0.0.1:${port}`, credentials.createInsecure());
    const started = new Plugin(plugin, engine, client, logged, `127.0.0.1:${address}`);
    await started.ask(
      "configure",
      new messages.ConfigureRequest().setName(name).setArgs(struct(settings)).setAcceptsecrets(true),
    );
    return started;
  }

  async check(type: string, news: object): Promise<string[]> {
    const request = new messages.CheckRequest()
      .setUrn(urnOf(type, "it"))
      .setOlds(struct({}))
      .setNews(struct(news));
    const answer = await this.ask<messages.CheckResponse>("check", request);
    return answer.getFailuresList().map((failure) => failure.getReason());
  }

  create(type: string, properties: object, { preview = false } = {}): Promise<messages.CreateResponse> {
    const request = new messages.CreateRequest()
      .setUrn(urnOf(type, "it"))
      .setProperties(struct(properties))
      .setPreview(preview);
    return this.ask("create", request);
  }

  update(
    type: string,
    id: string,
    olds: object,
    news: object,
    { preview = false } = {},
  ): Promise<messages.UpdateResponse> {
    const request = new messages.UpdateRequest().setUrn(urnOf(type, "it")).setId(id).setPreview(preview);
    return this.ask("update", request.setOlds(struct(olds)).setOldInputs(struct(olds)).setNews(struct(news)));
  }

  read(type: string, id: string, properties: object): Promise<messages.ReadResponse> {
    const request = new messages.ReadRequest().setUrn(urnOf(type, "it")).setId(id);
    return this.ask("read", request.setProperties(struct(properties)).setInputs(struct(properties)));
  }

  /** Asks to read, update and delete a recorded resource; returns why each fails. None may succeed. */
  async refusals({ urn, id, inputs, outputs }: Recorded): Promise<Record<string, string>> {
    const [news, olds] = [inputs, outputs].map((properties) => struct(known(properties) as object));
    // A module that an update of this process declares is not deleted any more.
    const steps: Record<string, object> = {
      read: new messages.ReadRequest().setUrn(urn).setId(id).setProperties(olds).setInputs(news),
      delete: new messages.DeleteRequest().setUrn(urn).setId(id).setProperties(olds).setOldInputs(news),
      update: new messages.UpdateRequest()
        .setUrn(urn)
        .setId(id)
        .setOlds(olds)
        .setOldInputs(news)
        .setNews(news),
    };
    const refusals: Record<string, string> = {};
    for (const [step, request] of Object.entries(steps))
      refusals[step] = await this.ask(step, request).then(
        () => `${step} of ${urn} succeeded`,
        ({ message }) => message as string,
      );
    return refusals;
  }

  /** A page of a list: the ids and names, and what the next page begins with. */
  list(type: string, query: object, { limit = 0, pageSize = 0, after = "" } = {}): Promise<Listed> {
    const request = new messages.ListRequest()
      .setToken(`tunnelplane:index:${type}`)
      .setQuery(struct(query))
      .setLimit(limit)
      .setPageSize(pageSize)
      .setContinuationToken(after);
    const listed: Listed = { found: [], next: undefined };
    return new Promise((resolve, reject) =>
      this.client
        .list(request)
        .on("data", (one: messages.ListResponse) => {
          const result = one.getResult();
          if (result) listed.found.push(`${result.getName()} ${result.getId()}`);
          listed.next ??= one.getContinuation()?.getContinuationToken();
        })
        .on("error", reject)
        .on("end", () => resolve(listed)),
    );
  }

  invoke(name: string, args: object): Promise<messages.InvokeResponse> {
    return this.ask(
      "invoke",
      new messages.InvokeRequest().setTok(`tunnelplane:index:${name}`).setArgs(struct(args)),
    );
  }

  /** Asks as the engine does; an error keeps what a step recorded in part. */
  ask<Answer>(method: string, request: object): Promise<Answer> {
    const call = (
      this.client as unknown as Record<
        string,
        (request: object, done: (error: ServiceError | null, answer: Answer) => void) => void
      >
    )[method];
    return new Promise((resolve, reject) =>
      call?.call(this.client, request, (error, answer) =>
        error ? reject(Object.assign(new Error(error.details), { partly: partIn(error) })) : resolve(answer),
      ),
    );
  }

  kill(): void {
    this.process.kill("SIGKILL");
  }

  async stop(): Promise<void> {
    this.client.close();
    this.engine.forceShutdown();
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const ended = once(this.process, "close");
    this.process.kill();
    await ended;
  }
}

/** Properties without what is encrypted in a state, because no server needs it to refuse a step. */
const known = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(known)
    : typeof value !== "object" || value === null
      ? value
      : "ciphertext" in value
        ? "hidden"
        : Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, known(inner)]));

function partIn({ metadata }: ServiceError): messages.ErrorResourceInitFailed | undefined {
  const [details] = metadata.get("grpc-status-details-bin");
  if (!(details instanceof Buffer)) return undefined;
  const [detail] = Status.deserializeBinary(details).getDetailsList();
  return detail && messages.ErrorResourceInitFailed.deserializeBinary(detail.getValue_asU8());
}

export const struct = (value: object): Struct =>
  Struct.fromJavaScript(value as Parameters<typeof Struct.fromJavaScript>[0]);
