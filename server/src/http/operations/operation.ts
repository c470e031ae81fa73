import {
  accessDoc,
  type Definition,
  type Permission,
  plural,
  type Subject,
  validateModule,
} from "@tunnelplane/sdk/contract";
import type { Shape } from "@tunnelplane/sdk/operations";
import type { z } from "zod";
import type { Caller, KeyUses } from "../../auth";
import type { Answer, Page } from "../../documents";
import type { Dispatcher } from "../../events";
import type { EventWaits } from "../../journal";
import type {
  ChangeRequest,
  Filter,
  ObjectPath,
  Precondition,
  ResourceService,
  ServerContext,
  Subresources,
} from "../../resources";
import { refuseFaults } from "../../util";
import type { BodyRoom } from "../limits/bodyLimits";
import type { Query } from "../query";

/** The tools of an operation's handler. */
export interface OperationScope {
  /** Objects, as the caller may see and change them. */
  readonly resources: ResourceService;
  /** Their modules and the entries of their lists. */
  readonly parts: Subresources;
  readonly context: ServerContext;
  readonly caller: Caller;
  /** The request, for operations that make changes by themselves. */
  readonly change: ChangeRequest;
  readonly keyUses: KeyUses;
  readonly dispatcher: Dispatcher;
  /** Lets requests wait for the next change. */
  readonly eventWaits: EventWaits;
  /** Limit for the stored texts of a page, in bytes. */
  readonly pageBytes: number;
}

/** The input of an operation. */
export interface OperationInput {
  /** The ids in the path; a collection's path has no `id`. */
  readonly params: ObjectPath;
  readonly query: Query;
  readonly body: unknown;
  /** The name of the object: "" for none, undefined to leave it as it is. */
  readonly name: string | undefined;
  readonly precondition: Precondition;
  /** A signal that comes when no client waits for the answer any more. */
  readonly gone: () => AbortSignal;
  /** Waits for a turn of its project, for a request that goes on after it waited with others. */
  readonly turn: () => Promise<void>;
  /** Refuses a request that waited, if its caller may no longer make it. */
  readonly lookAgain: () => Promise<void>;
}

/** The outcome of an operation: one object, a page, a report, or nothing. */
export type Outcome =
  | ({ readonly created?: string; readonly replayed?: boolean } & Answer)
  | Page
  | { readonly json: string; readonly replayed?: boolean }
  | undefined;

/** A body that has a shape, with its defaults. */
export function checked<S extends z.ZodType>({ schema }: Shape<S>, body: unknown): z.output<S> {
  const { value, problems } = validateModule(schema, body);
  refuseFaults(problems);
  return value as z.output<S>; // no problems: it is of this shape
}

/** One method on one path: the server registers it and the OpenAPI document describes it. */
export interface ApiOperation {
  readonly method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  /** The path, with parameters in braces. */
  readonly path: string;
  readonly id: string;
  readonly summary: string;
  /** Further facts for readers of the OpenAPI document, in sentences. */
  readonly about?: string;
  /** The operation's group in the OpenAPI document; its title is for people. */
  readonly tag: { readonly name: string; readonly description: string; readonly title?: string };
  /** The parameters of its query; none if left out. */
  readonly query?: readonly (
    | "limit"
    | "q"
    | "before_id"
    | "after_id"
    | "after_name"
    | "wait"
    | "dry_run"
    | "findings"
    | "force"
    | "type"
    | "object_id"
    | "project"
    | "principal"
    | "kind"
    | "action"
    | "from"
    | "to"
    | "status"
    | "address"
    | "after_address"
    | "state"
    | "shared"
    | "names"
    | "remove"
    | "replaces"
    | "with_replacement"
    | "closes"
    | "closed_without"
    | "remove_after"
    | Filter
  )[];
  /** The parts of an object that `remove` may name. */
  readonly removable?: readonly string[];
  /** The default of `limit` of an operation that answers no pages. */
  readonly usualLimit?: number;
  /** The query parameters that must be given. */
  readonly required?: readonly NonNullable<ApiOperation["query"]>[number][];
  readonly body?: Shape;
  readonly success: {
    readonly status: 200 | 201 | 204;
    readonly answer?: Shape;
    readonly list?: { readonly key: string };
  };
  /**
   * Whether its answer has more than the stored object. Its ETag then covers only the stored version, and it
   * is never answered with 304.
   */
  readonly tellsState?: boolean;
  /** Whether it gives an object a name. */
  readonly takesName?: true;
  /** Whether its body has no fields, and may be missing. */
  readonly takesNoFields?: true;
  /** Whether its body may have 16 MiB. */
  readonly takes16MiB?: true;
  /** Whether its body may have 16 MiB; it gets the bytes and reads them itself. */
  readonly isLarge?: true;
  /**
   * Whether a request waits for another service, or for the next change; such a request holds no common slot.
   */
  readonly waits?: (query: Query) => boolean;
  /** What it is about; with its permission, this decides who may use it: see `rights/` of the contract. */
  readonly subject: Subject;
  /** The permission that it needs. Default: read for GET, plan for a dry run, write for all else. */
  readonly permission?: Permission;
  /** The limits of its body, where the common ones are too low. */
  readonly room?: BodyRoom;
  /** Whether its body is a form. */
  readonly isForm?: true;
  /** Whether it needs neither an API key nor Service-Version. */
  readonly isOpen?: true;
  /** Whether only servers have it at which people sign in. */
  readonly isOfSignIn?: true;
  readonly run: (scope: OperationScope, input: OperationInput) => Promise<Outcome>;
}

/** What of an operation the OpenAPI document describes. */
export type DescribedOperation = Omit<ApiOperation, "run" | "subject">;

/** Whether an `Idempotency-Key` makes it idempotent: it creates objects. */
export const isIdempotent = ({ success, isLarge }: DescribedOperation): boolean =>
  success.status === 201 || isLarge === true;

/** Whether a client may name the answer that it has, and gets 304 while that is unchanged. */
export const isCacheable = ({ method, success, tellsState }: DescribedOperation): boolean =>
  method === "GET" && !success.list && !tellsState;

/** The permission that a request for an operation needs. */
export const permissionFor = (
  { permission, method, query: accepted = [] }: ApiOperation,
  query: Query,
): Permission =>
  permission ??
  (method === "GET" ? "read" : accepted.includes("dry_run") && query.dry_run === "true" ? "plan" : "write");

/** The group of a resource type's operations in the OpenAPI document. */
export const tagOf = (definition: Definition): ApiOperation["tag"] => ({
  name: definition.type,
  title: titleCase(plural(definition.title)),
  description: `${definition.doc}${accessDoc(definition)}`,
});

const titleCase = (title: string): string => `${title[0]?.toUpperCase()}${title.slice(1)}`;
