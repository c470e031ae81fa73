import { z } from "zod";

/** A shape in answers, with its description. */
export const said = <S extends z.ZodType>(schema: S, doc: string): S => schema.meta({ description: doc });
export const text = (doc: string) => said(z.string(), doc);
export const texts = (doc: string) => said(z.array(z.string()), doc);
