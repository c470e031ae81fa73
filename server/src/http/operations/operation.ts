import { accessDoc, type Definition } from "@tunnelplane/sdk/contract";
import type { z } from "zod";
import type { Caller } from "../../auth";
import type { Answer, Page } from "../../documents";
import type { Dispatcher } from "../../events";
import type { Context, Place, Precondition, ResourceService, Subresources } from "../../resources";
import type { Query } from "../query";

/** What an operation works with. */
export interface OperationScope {
  /** StoredObjects, as the caller may see and change them. */
  readonly resources: ResourceService;
  /** Their modules and the entries of their lists. */
  readonly parts: Subresources;
  readonly context: Context;
  readonly caller: Caller;
  readonly dispatcher: Dispatcher;
  /** How many bytes of stored texts a page of this answer may hold. */
  readonly pageBytes: number;
}

/** What an operation gets from a request. */
interface Input {
  /** The ids that the path names; `id` is absent where the path is a collection's. */
  readonly params: Place;
  readonly query: Query;
  readonly body: unknown;
  readonly precondition: Precondition;
}

/** What an operation answers: one object, a page of them, a report, or nothing. */
export type Outcome = ({ readonly created?: string; readonly replayed?: boolean } & Answer) | Page | { readonly json: string } | undefined;

/** A named JSON shape; the name becomes its OpenAPI component. */
export interface Shape {
  readonly name: string;
  readonly schema: z.ZodType;
  /** Whether defaults may be left out (what is sent) or are always there (what is answered). */
  readonly io: "input" | "output";
}

/** One method on one path: the server registers it and the OpenAPI document describes it. */
export interface Operation {
  readonly method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  /** With parameters in braces. */
  readonly path: string;
  readonly id: string;
  readonly summary: string;
  /** What it is listed under. */
  readonly tag: { readonly name: string; readonly description: string };
  readonly query: readonly (
    | "limit"
    | "before_id"
    | "dry_run"
    | "findings"
    | "type"
    | "object_id"
    | "status"
    | "address"
    | "after_address"
  )[];
  readonly body?: Shape;
  readonly success: { readonly status: 200 | 201 | 204; readonly answer?: Shape; readonly list?: { readonly key: string } };
  /** Whether it waits for others, such as the services that events go to; such a request holds no slot. */
  readonly waits?: true;
  readonly run: (scope: OperationScope, input: Input) => Promise<Outcome>;
}

/** What the operations of a resource type are listed under. */
export const tagOf = (definition: Definition): Operation["tag"] => ({
  name: definition.type,
  description: `${definition.doc}${accessDoc(definition)}`,
});
