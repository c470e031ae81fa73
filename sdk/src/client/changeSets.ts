import { randomUUID } from "node:crypto";
import type { Kind } from "../contract/kinds";
import type { Answered, ChangeAnswer, RequestOptions, Transport } from "./transport";

/** An object as a change set declares it. */
export interface SetObject {
  readonly kind: Kind;
  /** Unique for its kind in its set: letters, digits, `.`, `_` and `-`. */
  readonly key: string;
  /** An object that exists: adopts it, or gives an object of the set another key. */
  readonly id?: string;
  /**
   * The fields of its creation. In the place of an id stands `{ $key: "tunnel_group_backend/web" }` for an object of the set,
   * and `"$key:tunnel_group_backend/web"` as a key of a map.
   */
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** The state that a set shall have. */
export interface ChangeSetRequest {
  readonly set: string;
  /** `own` deletes what the request leaves out, `merge` leaves it. Default `merge`. */
  readonly mode?: "merge" | "own";
  /** The digest of a plan: go on only if that is what would be done now, otherwise {@link PreconditionFailedError}. */
  readonly expect?: string;
  /** How many objects may be deleted because they left the set. Default 0. */
  readonly max_deletes?: number;
  /** In any order; at most 5,000. */
  readonly objects: readonly SetObject[];
}

/** What is done with one object. */
export interface SetOperation {
  readonly op: "create" | "update" | "replace" | "delete" | "adopt";
  readonly kind: Kind;
  readonly key: string;
  /** Null in a plan, if it is not made yet. */
  readonly id: string | null;
  readonly replaced_id?: string;
  /** The fields that differ. A secret is a path alone. */
  readonly changes: readonly { readonly path: string; readonly old?: unknown; readonly new?: unknown }[];
  /** The one-time secret of a new object. */
  readonly token?: string;
}

export interface ChangeSetResult {
  readonly set: string;
  /** Objects that stay as they are are left out. */
  readonly operations: readonly SetOperation[];
  /** Names the plan, for `expect`. */
  readonly digest: string;
}

/** A set, and which object has which key in it. */
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

/** Many objects that are brought to a declared state together: all of them, or none. */
export class ChangeSets {
  constructor(private readonly transport: Transport) {}

  /** What an apply would do now; changes nothing. With `findings`, also what that means for callers. */
  async plan<O extends Pick<RequestOptions, "findings"> = object>(
    request: ChangeSetRequest,
    options?: O,
  ): Promise<ChangeAnswer<ChangeSetResult, O>> {
    const { body } = await this.transport.request<ChangeAnswer<ChangeSetResult, O>>("POST", PATH, request, { ...options, dryRun: true });
    return body;
  }

  /** Gives the set the declared state, once, even if the request has to be repeated. */
  async apply(request: ChangeSetRequest, options: Pick<RequestOptions, "idempotencyKey"> = {}): Promise<ChangeSetResult> {
    return (await this.applyAnswered(request, options)).body;
  }

  /** The same, and whether it is the answer to an earlier request with the same idempotency key. */
  applyAnswered(
    request: ChangeSetRequest,
    { idempotencyKey = randomUUID() }: Pick<RequestOptions, "idempotencyKey"> = {},
  ): Promise<Answered<ChangeSetResult>> {
    return this.transport.request<ChangeSetResult>("POST", PATH, request, { idempotencyKey });
  }

  /** All sets that the caller may use, newest first; asks for the next page when it is needed. */
  async *list({ pageSize = 100 }: { readonly pageSize?: number } = {}): AsyncGenerator<ChangeSetSummary> {
    for (let next: string | null = `limit=${pageSize}`; next !== null; ) {
      const { body } = (await this.transport.request("GET", `${PATH}?${next}`)) as Answered<Page>;
      yield* body.changesets;
      next = body.next_page_uri && new URL(body.next_page_uri).search.slice(1);
    }
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

interface Page {
  readonly changesets: ChangeSetSummary[];
  readonly next_page_uri: string | null;
}
