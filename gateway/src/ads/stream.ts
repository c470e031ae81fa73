import { decode, encodeFields, fieldStart } from "./encode";
import type { GrpcStream } from "./grpc";
import { type Kind, kindOf, type Resource, urlOf } from "./resources";

const REQUEST = "envoy.service.discovery.v3.DeltaDiscoveryRequest";
const RESPONSE = "envoy.service.discovery.v3.DeltaDiscoveryResponse";
export const METHOD = "/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources";

/** Envoy's request: it asks, or says whether it took an answer. */
interface Request {
  readonly typeUrl: string;
  readonly resourceNamesSubscribe: readonly string[];
  readonly resourceNamesUnsubscribe: readonly string[];
  readonly initialResourceVersions: Readonly<Record<string, string>>;
  readonly responseNonce: string;
  readonly errorDetail?: { readonly message: string };
  readonly node?: {
    readonly userAgentVersionType: {
      readonly value?: { readonly version?: { majorNumber: number; minorNumber: number; patch: number } };
    };
  };
}

/** A resource as Envoy has it. */
export type Held =
  /** Envoy has not answered yet. */
  | { readonly state: "sent"; readonly version: string; readonly before: string | undefined }
  | { readonly state: "taken"; readonly version: string }
  /** Envoy has the version before, if there was one. */
  | {
      readonly state: "refused";
      readonly version: string;
      readonly before: string | undefined;
      readonly reason: string;
    };

interface Sent {
  readonly kind: Kind;
  readonly resources: readonly Resource[];
  readonly removed: readonly string[];
}

/** Envoy reads an answer as a whole: where it refuses one with several resources, each is sent by itself. */
const IN_ONE_ANSWER = 64;
const EVERYTHING = "*";

/** What one Envoy asks for, has and was sent, on one stream. */
export class Stream {
  readonly #asked = new Map<Kind, Set<string>>();
  readonly #held = new Map<Kind, Map<string, Held>>();
  readonly #waiting = new Map<string, Sent>();
  /** How many of these Envoy has not answered, by kind. */
  readonly #open = new Map<Kind, number>();
  readonly #refused = new Map<Kind, Set<string>>();
  readonly #answered = new Set<Kind>();
  #nonce = 0;
  isOpen = true;
  /** Of Envoy, as `1.40.0`. */
  version = "";

  /**
   * @param onNews called with what Envoy asks for besides, and after each of its answers
   */
  constructor(
    private readonly grpc: GrpcStream,
    private readonly onNews: (kind: Kind, asked: readonly string[]) => void,
  ) {}

  end(): void {
    this.grpc.end();
  }

  /** @throws if this is not a request of an Envoy */
  receive(bytes: Uint8Array): void {
    const request = decode<Request>(REQUEST, bytes);
    const kind = kindOf(request.typeUrl);
    const { version } = request.node?.userAgentVersionType.value ?? {};
    if (version) this.version = [version.majorNumber, version.minorNumber, version.patch].join(".");
    if (kind === undefined) return;
    const asked = this.#ask(kind, request);
    const sent = this.#waiting.get(request.responseNonce);
    if (sent) {
      this.#waiting.delete(request.responseNonce);
      this.#open.set(sent.kind, (this.#open.get(sent.kind) ?? 0) - 1);
      this.#settle(sent, request.errorDetail?.message);
    }
    this.onNews(kind, asked);
  }

  #ask(kind: Kind, request: Request): readonly string[] {
    let names = this.#asked.get(kind);
    // Whoever asks again has it no longer, even if we never heard that.
    if (names) for (const name of request.resourceNamesSubscribe) this.#held.get(kind)?.delete(name);
    if (!names) {
      names = new Set();
      this.#asked.set(kind, names);
      const versions = Object.entries(request.initialResourceVersions);
      const held = versions.map(([name, version]): [string, Held] => [name, { state: "taken", version }]);
      this.#held.set(kind, new Map(held));
      if (request.resourceNamesSubscribe.length === 0) names.add(EVERYTHING);
    }
    for (const name of request.resourceNamesUnsubscribe) {
      names.delete(name);
      this.#held.get(kind)?.delete(name);
    }
    for (const name of request.resourceNamesSubscribe) names.add(name);
    return request.resourceNamesSubscribe;
  }

  #settle({ kind, resources, removed }: Sent, reason: string | undefined): void {
    if (reason !== undefined && resources.length + removed.length > 1) {
      if (removed.length > 0) this.#answer({ kind, resources: [], removed });
      for (const resource of resources) this.#answer({ kind, resources: [resource], removed: [] });
      return;
    }
    const held = this.#of(kind);
    for (const name of removed) held.delete(name);
    for (const { name, version } of resources) {
      const now = held.get(name);
      if (now?.state !== "sent" || now.version !== version) continue; // Envoy asks for it no more, or got another since.
      if (reason === undefined) held.set(name, { state: "taken", version });
      else {
        held.set(name, { state: "refused", version, before: now.before, reason });
        const refused = this.#refused.get(kind) ?? new Set();
        this.#refused.set(kind, refused.add(name));
      }
    }
  }

  /** Whether Envoy asked for resources of this kind, and for this one. */
  asks(kind: Kind, name = EVERYTHING): boolean {
    const names = this.#asked.get(kind);
    return names !== undefined && (names.has(EVERYTHING) || names.has(name));
  }

  held = (kind: Kind, name: string): Held | undefined => this.#held.get(kind)?.get(name);
  names = (kind: Kind): readonly string[] => [...(this.#held.get(kind)?.keys() ?? [])];

  /** Whether Envoy has answered all that it was sent of a kind. */
  isAnswered = (kind: Kind): boolean => (this.#open.get(kind) ?? 0) === 0;
  /** Those whose newest version Envoy refused. */
  refused = (kind: Kind): readonly string[] => [...(this.#refused.get(kind) ?? [])];

  /** Sends resources, all but those that Envoy has already. */
  send(kind: Kind, resources: readonly Resource[], removed: readonly string[] = []): void {
    const held = this.#of(kind);
    const news = resources.filter(({ name, version }) => {
      const now = held.get(name);
      return now === undefined || now.state === "refused" || now.version !== version;
    });
    const gone = removed.filter((name) => held.has(name));
    for (const { name, version } of news) {
      const now = held.get(name);
      const before = now?.state === "taken" ? now.version : now?.before;
      held.set(name, { state: "sent", version, before });
      this.#refused.get(kind)?.delete(name);
    }
    // Of the other kinds Envoy takes one that it has refused when it gets the same again.
    const size = kind === "cluster" || kind === "listener" ? IN_ONE_ANSWER : 1;
    // Envoy waits for the first answer of each kind, even if there is nothing.
    const isFirst = size > 1 && !this.#answered.has(kind);
    this.#answered.add(kind);
    // A resource that is removed frees its address for one that is added.
    for (let at = 0; at < Math.max(news.length, isFirst || gone.length > 0 ? 1 : 0); at += size)
      this.#answer({ kind, resources: news.slice(at, at + size), removed: at === 0 ? gone : [] });
  }

  #answer(sent: Sent): void {
    const { kind, resources, removed } = sent;
    const nonce = String(++this.#nonce);
    this.#waiting.set(nonce, sent);
    this.#open.set(kind, (this.#open.get(kind) ?? 0) + 1);
    const typeUrl = urlOf(kind);
    this.grpc.send([
      encodeFields(RESPONSE, { typeUrl, nonce, removedResources: [...removed] }),
      ...resources.flatMap((one) => answered(typeUrl, one)),
    ]);
  }

  #of(kind: Kind): Map<string, Held> {
    const held = this.#held.get(kind) ?? new Map<string, Held>();
    this.#held.set(kind, held);
    return held;
  }
}

/** The numbers of fields: of an answer, of a resource in it, and of the message that this holds. */
const [RESOURCES, RESOURCE, VALUE] = [2, 2, 2];

/** A resource in an answer. Its bytes are not copied: a listener may have 20 MB. */
function answered(typeUrl: string, { name, version, bytes }: Resource): Uint8Array[] {
  const any = encodeFields("google.protobuf.Any", { typeUrl });
  const value = fieldStart(VALUE, bytes.length);
  const own = encodeFields("envoy.service.discovery.v3.Resource", { name, version });
  const anyLength = any.length + value.length + bytes.length;
  const resource = fieldStart(RESOURCE, anyLength);
  const start = fieldStart(RESOURCES, own.length + resource.length + anyLength);
  return [Buffer.concat([start, own, resource, any, value]), bytes];
}
