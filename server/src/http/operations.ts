import { type Definition, fieldsWhere, modulesOf } from "@tunnelplane/sdk/contract";
import type { z } from "zod";
import type { Answer, Page, Place, Precondition, Resources } from "../resources";
import { collectionOperations } from "./collectionOperations";
import { entryOperations } from "./entryOperations";
import { moduleOperations } from "./moduleOperations";

/** What an operation gets from a request. */
interface Input {
  /** The ids that the path names; `id` is absent where the path is a collection's. */
  readonly params: Place;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly precondition: Precondition;
}

/** What an operation answers: one object, a page of them, or nothing. */
export type Outcome = ({ readonly created?: string } & Answer) | Page | undefined;

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
  readonly tag: string;
  readonly query: readonly ("limit" | "before_id")[];
  readonly body?: Shape;
  readonly success: { readonly status: 200 | 201 | 204; readonly answer?: Shape; readonly list?: { readonly key: string } };
  readonly definition: Definition;
  readonly run: (resources: Resources, input: Input) => Promise<Outcome>;
}

/** Every operation of a resource type: its collection, its objects, their modules and entries. */
export function operationsOf(definition: Definition): Operation[] {
  return [
    ...collectionOperations(definition),
    ...modulesOf(definition).flatMap((name) => moduleOperations(definition, name)),
    ...fieldsWhere(definition, (marks) => marks.entries).flatMap((name) => entryOperations(definition, name)),
  ];
}
