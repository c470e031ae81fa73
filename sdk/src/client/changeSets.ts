import { randomUUID } from "node:crypto";
import type { ChangeSet, ChangeSetRequest, ChangeSetResult, ChangeSetSummary } from "./generated";
import type { Answered, ChangeAnswer, RequestOptions, Transport } from "./transport";

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
  list({ pageSize: limit = 100 }: { readonly pageSize?: number } = {}): AsyncGenerator<ChangeSetSummary> {
    return this.transport.list(PATH, "changesets", { limit });
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
