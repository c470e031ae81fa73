import { z } from "zod";
import { decisionRequestSchema, decisionSchema, MAX_DECISIONS, object } from "../contract";
import type { Shape } from "./shape";

export const decisionsRequestShape = {
  name: "ExposureDecisionsCreate",
  io: "input",
  example: () => ({
    requests: [{ address: "app.example.com:443", path: "/admin", from: "198.51.100.7" }],
  }),
  schema: object({
    requests: z
      .array(decisionRequestSchema())
      .min(1)
      .max(MAX_DECISIONS)
      .meta({ description: `The requests, at most ${MAX_DECISIONS}.` }),
  }),
} satisfies Shape;

export const decisionsShape = {
  name: "ExposureDecisions",
  io: "output",
  schema: z.object({
    decisions: z
      .array(decisionSchema())
      .meta({ description: "The decision about each request, in their order." }),
  }),
} satisfies Shape;
