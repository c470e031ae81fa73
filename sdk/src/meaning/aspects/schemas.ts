import { z } from "zod";

/** A shape in answers, with its description. */
export const documented = <S extends z.ZodType>(schema: S, doc: string): S =>
  schema.meta({ description: doc });
export const text = (doc: string) => documented(z.string(), doc);
export const texts = (doc: string) => documented(z.array(z.string()), doc);
