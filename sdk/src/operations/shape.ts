import type { z } from "zod";

/** The JSON of a body or an answer of an operation. Its name is the one of its OpenAPI component. */
export interface Shape<S extends z.ZodType = z.ZodType> {
  readonly name: string;
  readonly schema: S;
  /** In an input, fields with defaults may be left out; in an output they are always there. */
  readonly io: "input" | "output";
  /** Makes an example for the OpenAPI document. Default: one that is made from the schema. */
  readonly example?: () => unknown;
}
