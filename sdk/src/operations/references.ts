import { z } from "zod";
import { registry, resourceName, sampleId } from "../contract";
import type { Shape } from "./shape";

const kinds = registry.map(({ kind }) => kind);

export const referrerShape = {
  name: "Referrer",
  io: "output",
  schema: z.object({
    id: z
      .string()
      .meta({ description: "Identifier of the object that refers.", examples: [sampleId("edgtls", "one")] }),
    resource_name: resourceName(),
    uri: z.url().meta({ description: "Its address." }),
    kind: z.enum(kinds).meta({ description: "Its kind.", examples: ["tls_edge"] }),
    fields: z
      .array(z.string())
      .meta({ description: "The fields that refer.", examples: [["backend.backend_id"]] }),
  }),
} satisfies Shape;
