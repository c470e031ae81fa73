import { randomUUID } from "node:crypto";
import type { Answered, ChangeAnswer, DeletionAnswer, RequestOptions, Transport } from "./transport";

export interface ReadOptions {
  /** Whether to answer `resource_name` of objects that have a name. Default false. */
  readonly names?: boolean;
}

/** An object that was read with `names: true`. */
export interface WithName {
  /** The name that a program or a catalogue gave it; left out where it has none. */
  readonly resource_name?: string;
}

/** The answer to a read; with `resource_name` if the request asks for names. */
export type ReadAnswer<T, O> = O extends { readonly names: true } ? T & WithName : T;

export interface ListOptions extends ReadOptions {
  /** How many objects one request asks for, 1 to 100. Default 100. */
  readonly pageSize?: number;
  /** Only objects older than the one with this id. */
  readonly beforeId?: string;
  /**
   * Only the edge that serves this hostport; types without the field refuse it, as they do the filters below.
   */
  readonly hostport?: string;
  /** Only objects of this user or bot. */
  readonly ownerId?: string;
  /** Only objects with exactly this description. */
  readonly description?: string;
  /** Only objects with exactly this metadata. */
  readonly metadata?: string;
  /**
   * Whether to answer the state of each guarantee, at most 20 a page; other types refuse it. Default false.
   */
  readonly state?: boolean;
  /**
   * Whether to answer objects of shared projects too; types that only their owner or admins may see or change
   * refuse it. Default false.
   */
  readonly shared?: boolean;
}

/** Modules have no names of their own. */
interface NoNames {
  readonly names?: never;
}

/** Something at an address of its own, which answers DELETE. */
abstract class Deletable {
  constructor(
    protected readonly transport: Transport,
    protected readonly path: string,
  ) {}

  protected abstract pathOf(id: string): string;

  /** @throws ConflictError if other objects refer to it */
  async delete<O extends RequestOptions = RequestOptions>(
    id: string,
    options?: O,
  ): Promise<DeletionAnswer<O>> {
    return (await this.transport.request<DeletionAnswer<O>>("DELETE", this.pathOf(id), undefined, options))
      .body;
  }
}

/** An object or module at an address of its own, which answers GET too. */
abstract class Addressed<T, Names extends ReadOptions = NoNames> extends Deletable {
  /** @throws NotFoundError if there is no such object, or the module is not configured */
  async get<O extends Names>(id: string, options?: O): Promise<ReadAnswer<T, O>> {
    return (await this.getWithEtag(id, options)).body;
  }

  /** The answer with its ETag, for an update that must not overwrite somebody else's. */
  getWithEtag<O extends Names>(id: string, options?: O): Promise<Answered<ReadAnswer<T, O>>> {
    return this.transport.request("GET", this.pathOf(id) + (options?.names ? "?names=true" : ""));
  }
}

/** The objects of one kind. */
export class Collection<T, Create, Update> extends Addressed<T, ReadOptions> {
  constructor(
    transport: Transport,
    path: string,
    private readonly listKey: string,
  ) {
    super(transport, path);
  }

  /** Creates one object, even if the request has to be repeated. */
  async create<O extends RequestOptions = RequestOptions>(
    body: Create,
    options?: O,
  ): Promise<ChangeAnswer<T, O>> {
    return (await this.transport.request<ChangeAnswer<T, O>>("POST", this.path, body, repeatable(options)))
      .body;
  }

  /** All objects, newest first; requests the next page when it is needed. */
  list<O extends ListOptions = ListOptions>(options?: O): AsyncGenerator<ReadAnswer<T, O>> {
    const { pageSize: limit = 100, beforeId, ownerId, ...filters }: ListOptions = options ?? {};
    const query = { limit, before_id: beforeId, owner_id: ownerId, ...filters };
    return this.transport.list(this.path, this.listKey, query);
  }

  /** Changes the given fields; the others stay as they are. */
  async update<O extends RequestOptions = RequestOptions>(
    id: string,
    body: Update,
    options?: O,
  ): Promise<ChangeAnswer<T, O>> {
    return (await this.transport.request<ChangeAnswer<T, O>>("PATCH", this.pathOf(id), body, options)).body;
  }

  protected pathOf(id: string): string {
    return `${this.path}/${encodeURIComponent(id)}`;
  }
}

/** Adds a random idempotency key if the caller gave none, so that the request can be repeated. */
const repeatable = (options: RequestOptions = {}): RequestOptions => ({
  ...options,
  idempotencyKey: options.idempotencyKey ?? randomUUID(),
});

/** An optional field of the objects of a kind, which a request of its own removes. */
export class Removable extends Deletable {
  constructor(
    transport: Transport,
    path: string,
    private readonly name: string,
  ) {
    super(transport, path);
  }

  protected pathOf(id: string): string {
    return `${this.path}/${encodeURIComponent(id)}/${this.name}`;
  }
}

/** One module of the objects of a kind, at its own endpoints. */
export class Module<T, Replace> extends Addressed<T> {
  constructor(
    transport: Transport,
    path: string,
    private readonly name: string,
  ) {
    super(transport, path);
  }

  /** Configures the module; replaces it as a whole. */
  async replace<O extends RequestOptions = RequestOptions>(
    id: string,
    body: Replace,
    options?: O,
  ): Promise<ChangeAnswer<T, O>> {
    return (await this.transport.request<ChangeAnswer<T, O>>("PUT", this.pathOf(id), body, options)).body;
  }

  protected pathOf(id: string): string {
    return `${this.path}/${encodeURIComponent(id)}/${this.name}`;
  }
}

/** A list whose entries have addresses of their own, for example the sources of a subscription. */
export class Entries<T, Create> {
  constructor(
    private readonly transport: Transport,
    private readonly path: string,
    private readonly name: string,
  ) {}

  async add<O extends RequestOptions = RequestOptions>(
    id: string,
    body: Create,
    options?: O,
  ): Promise<ChangeAnswer<T, O>> {
    return (
      await this.transport.request<ChangeAnswer<T, O>>("POST", this.#pathOf(id), body, repeatable(options))
    ).body;
  }

  async list(id: string): Promise<T[]> {
    const { body } = await this.transport.request<Record<string, T[]>>("GET", this.#pathOf(id));
    return body[this.name] as T[];
  }

  /** @param key the value of the field that names the entry */
  async get(id: string, key: string): Promise<T> {
    return (await this.transport.request<T>("GET", `${this.#pathOf(id)}/${encodeURIComponent(key)}`)).body;
  }

  async delete<O extends RequestOptions = RequestOptions>(
    id: string,
    key: string,
    options?: O,
  ): Promise<DeletionAnswer<O>> {
    return (
      await this.transport.request<DeletionAnswer<O>>(
        "DELETE",
        `${this.#pathOf(id)}/${encodeURIComponent(key)}`,
        undefined,
        options,
      )
    ).body;
  }

  #pathOf(id: string): string {
    return `${this.path}/${encodeURIComponent(id)}/${this.name}`;
  }
}
