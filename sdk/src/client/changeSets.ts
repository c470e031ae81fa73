import { randomUUID } from "node:crypto";
import type { Kind } from "../contract/kinds";
import type { Answered, ChangeAnswer, Paged, RequestOptions, Transport } from "./transport";

/** A declared object of a change set. */
export interface SetObject {
  readonly kind: Kind;
  /** Its name, unique for its kind in the set: letters, digits, `.`, `_` and `-`. */
  readonly key: string;
  /** The id of an existing object, to adopt it or to change its key in the set. */
  readonly id?: string;
  /**
   * The fields of its creation. `{ $key: "tunnel_group_backend/web" }` stands for the id of an object of the
   * set; as the key of a map, `"$key:tunnel_group_backend/web"`.
   */
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** The desired state of a set. */
export interface ChangeSetRequest {
  readonly set: string;
  /** `own` deletes objects that the request leaves out, `merge` keeps them. Default `merge`. */
  readonly mode?: "merge" | "own";
  /**
   * The digest of a plan. If the plan has changed since, the apply fails with {@link
   * PreconditionFailedError}.
   */
  readonly expect?: string;
  /** How many objects may be deleted because the request leaves them out. Default 0. */
  readonly max_deletes?: number;
  /** In any order; at most 5,000. */
  readonly objects: readonly SetObject[];
}

/** The change of one object. */
export interface SetOperation {
  readonly op: "create" | "update" | "replace" | "delete" | "adopt";
  readonly kind: Kind;
  readonly key: string;
  /** Null in a plan if the object does not exist yet. */
  readonly id: string | null;
  readonly replaced_id?: string;
  /** The changed fields. For a secret, only the path. */
  readonly changes: readonly { readonly path: string; readonly old?: unknown; readonly new?: unknown }[];
  /** The one-time secret of a new object. */
  readonly token?: string;
}

export interface ChangeSetResult {
  readonly set: string;
  /** The changes, without unchanged objects. */
  readonly operations: readonly SetOperation[];
  /** Identifies the plan, for `expect`. */
  readonly digest: string;
}

/** A set, with its objects and their keys. */
export interface ChangeSet {
  readonly set: string;
  readonly uri: string;
  readonly created_at: string;
  readonly owner_id: string;
  readonly objects: readonly { readonly kind: Kind; readonly key: string; readonly id: string }[];
}

export interface ChangeSetSummary extends Omit<ChangeSet, "objects"> {
  readonly id: string;
  readonly object_count: number;
}

/** Change sets bring many objects to a declared state in one transaction: all of them, or none. */
export class ChangeSets {
  constructor(private readonly transport: Transport) {}

  /** The plan: what an apply would do now. Changes nothing. With `findings`, also the effects on callers. */
  async plan<O extends Pick<RequestOptions, "findings"> = object>(
    request: ChangeSetRequest,
    options?: O,
  ): Promise<ChangeAnswer<ChangeSetResult, O>> {
    const { body } = await this.transport.request<ChangeAnswer<ChangeSetResult, O>>("POST", PATH, request, {
      ...options,
      dryRun: true,
    });
    return body;
  }

  /** Brings the set to the declared state, once, even if the request has to be repeated. */
  async apply(
    request: ChangeSetRequest,
    options: Pick<RequestOptions, "idempotencyKey"> = {},
  ): Promise<ChangeSetResult> {
    return (await this.applyAnswered(request, options)).body;
  }

  /**
   * The same; also says whether it is the kept answer to an earlier request with the same idempotency key.
   */
  applyAnswered(
    request: ChangeSetRequest,
    { idempotencyKey = randomUUID() }: Pick<RequestOptions, "idempotencyKey"> = {},
  ): Promise<Answered<ChangeSetResult>> {
    return this.transport.request<ChangeSetResult>("POST", PATH, request, { idempotencyKey });
  }

  /** All sets that the caller may use, newest first; requests the next page when it is needed. */
  async *list({ pageSize = 100 }: { readonly pageSize?: number } = {}): AsyncGenerator<ChangeSetSummary> {
    const query = new URLSearchParams({ limit: String(pageSize) });
    for await (const page of this.transport.pages<Page>(PATH, query)) yield* page.changesets;
  }

  /** @throws NotFoundError */
  async get(set: string): Promise<ChangeSet> {
    return (await this.transport.request<ChangeSet>("GET", `${PATH}/${encodeURIComponent(set)}`)).body;
  }

  /** Forgets the set; its objects stay. */
  async release(set: string): Promise<void> {
    await this.transport.request("DELETE", `${PATH}/${encodeURIComponent(set)}`);
  }
}

const PATH = "/changesets";

interface Page extends Paged {
  readonly changesets: ChangeSetSummary[];
}
