import {
  credentials,
  type handleUnaryCall,
  Server,
  ServerCredentials,
  type ServerWritableStream,
  type sendUnaryData,
} from "@grpc/grpc-js";
import { EngineClient } from "@pulumi/pulumi/proto/engine_grpc_pb";
import { LogRequest, LogSeverity } from "@pulumi/pulumi/proto/engine_pb";
import { type PluginAttach, PluginInfo } from "@pulumi/pulumi/proto/plugin_pb";
import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";
import type * as messages from "@pulumi/pulumi/proto/provider_pb";
import {
  ConfigureResponse,
  GetMappingResponse,
  GetMappingsResponse,
  GetSchemaResponse,
  ProviderHandshakeResponse,
} from "@pulumi/pulumi/proto/provider_pb";
import { tokenIn } from "@tunnelplane/pulumi/core";
import { tell } from "@tunnelplane/pulumi/engine";
import { Operation } from "@tunnelplane/pulumi/operation";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import type * as SetsModule from "./catalogueSets";
import type { CatalogueSets } from "./catalogueSets";
import type * as ComponentsModule from "./components";
import { answerOf } from "./failure";
import { Functions } from "./functions";
import type * as ListsModule from "./lists";
import { checkConfig, configOf, diffConfig } from "./providerConfig";
import { Resources } from "./resources";
import { withoutSecrets } from "./secrets";
import { CATALOGUE_SET, stackIn, tokenOf } from "./types";
import { isUnknown, UNKNOWN } from "./values";

/** Shows messages in the run of the engine at an address. */
export const tellerAt =
  (address: string) =>
  (severity: "WARNING" | "INFO", text: string, urn: string | undefined): Promise<void> =>
    tell({ EngineClient, LogRequest, LogSeverity, insecure: credentials.createInsecure() }, address, {
      severity,
      text,
      urn,
    });

const { version }: { version: string } = require("../package.json");

/** The protocol between the engine and this provider, as far as it has a meaning here. */
export class Service {
  #tell: ReturnType<typeof tellerAt>;
  #operation: Operation;
  #resources: Resources;
  #functions: Functions;
  #sets: CatalogueSets | undefined;
  /** By which the engine names this provider; empty if it did not say. */
  #reference = "";
  readonly #cancelled = new AbortController();

  /** @param engine the address of the engine */
  constructor(engine: string) {
    this.#tell = tellerAt(engine);
    [this.#operation, this.#resources, this.#functions] = this.#begin();
  }

  /** Each operation of the engine begins with the configuration. */
  #begin(): [Operation, Resources, Functions] {
    const operation = new Operation({
      packageName: "@tunnelplane/pulumi-plugin",
      account: { noun: "provider", type: "a Provider" },
      isUnknown,
      warn: (text, urn) => this.#tell("WARNING", withoutSecrets(text), urn),
      inform: (text, urn) => this.#tell("INFO", withoutSecrets(text), urn),
    });
    return [operation, new Resources(operation), new Functions(operation)];
  }

  /** The part of the provider that serves a resource. */
  #of(request: { getUrn(): string }): Resources | CatalogueSets {
    this.#operation.stack ||= stackIn(request.getUrn());
    if (tokenIn(request.getUrn()) !== tokenOf(CATALOGUE_SET)) return this.#resources;
    // Loaded here: the parser of catalogues would slow the start of programs that have none.
    const { CatalogueSets }: typeof SetsModule = require("./catalogueSets");
    this.#sets ??= new CatalogueSets(this.#operation);
    return this.#sets;
  }

  readonly #methods = {
    handshake: unary(async (request: messages.ProviderHandshakeRequest) => {
      this.#tell = tellerAt(request.getEngineAddress());
      return new ProviderHandshakeResponse()
        .setAcceptSecrets(true)
        .setAcceptResources(false)
        .setAcceptOutputs(false);
    }),
    attach: unary(async (request: PluginAttach) => {
      this.#tell = tellerAt(request.getAddress());
      return new Empty();
    }),
    getPluginInfo: unary(async () => new PluginInfo().setVersion(version)),
    getSchema: unary(async () =>
      new GetSchemaResponse().setSchema(JSON.stringify(require("../schema.json"))),
    ),
    checkConfig: unary(async (request: messages.CheckRequest) => checkConfig(request)),
    diffConfig: unary(async (request: messages.DiffRequest) => diffConfig(request)),
    configure: unary(async (request: messages.ConfigureRequest) => {
      [this.#operation, this.#resources, this.#functions] = this.#begin();
      this.#sets = undefined;
      this.#operation.configure(configOf(request));
      this.#operation.provider = request.getUrn();
      this.#reference = request.getUrn() ? `${request.getUrn()}::${request.getId() || UNKNOWN}` : "";
      return new ConfigureResponse()
        .setAcceptsecrets(true)
        .setSupportspreview(true)
        .setAcceptresources(false)
        .setAcceptoutputs(false);
    }),
    invoke: unary((request: messages.InvokeRequest) => this.#within(0, this.#functions.invoke(request))),
    check: unary((request: messages.CheckRequest) => this.#within(0, this.#of(request).check(request))),
    diff: unary((request: messages.DiffRequest) => this.#within(0, this.#of(request).diff(request))),
    create: unary((request: messages.CreateRequest) =>
      this.#within(request.getTimeout(), this.#of(request).create(request)),
    ),
    read: unary((request: messages.ReadRequest) =>
      this.#within(request.getTimeout(), this.#of(request).read(request)),
    ),
    update: unary((request: messages.UpdateRequest) =>
      this.#within(request.getTimeout(), this.#of(request).update(request)),
    ),
    delete: unary(async (request: messages.DeleteRequest) => {
      await this.#within(request.getTimeout(), this.#of(request).delete(request));
      return new Empty();
    }),
    construct: unary((request: messages.ConstructRequest) => this.#construct(request)),
    list: (call: ServerWritableStream<messages.ListRequest, messages.ListResponse>) => void this.#list(call),
    // None: a mapping says that a Terraform provider works on the same objects, which `pulumi import` reads.
    getMapping: unary(async () => new GetMappingResponse()),
    getMappings: unary(async () => new GetMappingsResponse()),
    cancel: unary(async () => {
      this.#cancelled.abort();
      return new Empty();
    }),
  };

  async #construct(request: messages.ConstructRequest): Promise<messages.ConstructResponse> {
    // Loaded here: most programs declare no component.
    const { construct }: typeof ComponentsModule = require("./components");
    return this.#within(0, construct(request, this.#reference));
  }

  async #list(call: ServerWritableStream<messages.ListRequest, messages.ListResponse>): Promise<void> {
    // Loaded here: runs of programs list nothing.
    const { listOf }: typeof ListsModule = require("./lists");
    try {
      for (const one of await this.#within(0, listOf(this.#operation, call.request))) call.write(one);
      call.end();
    } catch (error) {
      call.emit("error", answerOf(error));
    }
  }

  /**
   * The result of a step, unless the run is cancelled or its own time limit is over before. The server may
   * still carry out the request; if it was a creation, the next run finds the object.
   *
   * @param seconds 0 for no limit
   */
  async #within<T>(seconds: number, step: Promise<T>): Promise<T> {
    const limit = seconds > 0 ? AbortSignal.timeout(seconds * 1000) : undefined;
    const ended = AbortSignal.any(limit ? [this.#cancelled.signal, limit] : [this.#cancelled.signal]);
    const reason = () =>
      this.#cancelled.signal.aborted
        ? "the run was cancelled before the server answered; run it again"
        : `the server did not answer within the ${seconds} s of the resource's own time limit (customTimeouts)`;
    let stop = (): void => undefined;
    const end = new Promise<never>((_, reject) => {
      stop = () => reject(new Error(reason()));
      if (ended.aborted) stop();
      else ended.addEventListener("abort", stop, { once: true });
    });
    try {
      return await Promise.race([step, end]);
    } finally {
      ended.removeEventListener("abort", stop);
    }
  }

  /** @returns the port of the loopback address that it listens on */
  listen(): Promise<number> {
    const server = new Server({ "grpc.max_receive_message_length": -1, "grpc.max_send_message_length": -1 });
    // All other methods are answered as unimplemented.
    server.addService(ResourceProviderService, this.#methods);
    return new Promise((resolve, reject) =>
      server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) =>
        error ? reject(error) : resolve(port),
      ),
    );
  }
}

const unary =
  <Request, Response>(run: (request: Request) => Promise<Response>): handleUnaryCall<Request, Response> =>
  ({ request }, callback: sendUnaryData<Response>) => {
    run(request).then(
      (response) => callback(null, response),
      (error: unknown) => callback(answerOf(error)),
    );
  };
