import { z } from "zod";
import { registry, sampleId } from "../contract";
import type { Shape } from "./shape";

const found = z.object({
  id: z
    .string()
    .meta({ description: "Identifier of the object.", examples: [sampleId("edgtls", "database")] }),
  type: z
    .enum(registry.map(({ type }) => type))
    .meta({ description: "Its type, as in this document.", examples: ["TlsEdge"] }),
  kind: z.enum(registry.map(({ kind }) => kind)).meta({ description: "Its kind.", examples: ["tls_edge"] }),
  resource_name: z
    .string()
    .optional()
    .meta({
      description: "Its name in the program that made it; absent without one.",
      examples: ["database"],
    }),
  title: z.string().meta({
    description: "Its name for people: the one in the program, or else a text of its own, or else its id.",
    examples: ["database"],
  }),
  matched: z
    .object({
      field: z.string().meta({ description: "The field.", examples: ["hostports[0]"] }),
      text: z.string().meta({
        description: "Its text; of one with more than 200 characters, the part with what was found.",
        examples: ["db.example.com:443"],
      }),
    })
    .meta({ description: "The text that fits best." }),
  uri: z.url().meta({ description: "Its address." }),
  parent_id: z
    .string()
    .optional()
    .meta({ description: "The object that it belongs to: the edge of a route, the policy of a rule." }),
});

export const searchResultsShape = {
  name: "SearchResults",
  io: "output",
  schema: z.object({
    results: z.array(found).meta({ description: "The best first, then the newest." }),
    has_more: z.boolean().meta({ description: "Whether further objects fit.", examples: [false] }),
  }),
} satisfies Shape;
