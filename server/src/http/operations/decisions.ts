import { decisionRequestSchema, decisionSchema, MAX_DECISIONS, object } from "@tunnelplane/sdk/contract";
import type { DecisionRequest } from "@tunnelplane/sdk/meaning";
import { z } from "zod";
import { decide } from "../../exposure";
import { EXPOSURE } from "./exposure";
import { type ApiOperation, checked, type Shape } from "./operation";

/** A hundred requests with a hundred headers each, and as many parts beside them. */
const ROOM = { entries: 1000, values: 20_000 };

const requestsShape: Shape = {
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
};

const decisionsShape: Shape = {
  name: "ExposureDecisions",
  io: "output",
  schema: z.object({
    decisions: z
      .array(decisionSchema())
      .meta({ description: "The decision about each request, in their order." }),
  }),
};

/** Says what gateways do with requests. */
export const decisionOperations: readonly ApiOperation[] = [
  {
    method: "POST",
    path: "/exposure/decisions",
    id: "createExposureDecisions",
    summary: "Decide what gateways do with requests, step by step",
    about: "It reads stored objects and changes nothing.",
    tag: EXPOSURE,
    subject: "exposure",
    permission: "read",
    query: [],
    room: ROOM,
    body: requestsShape,
    success: { status: 200, answer: decisionsShape },
    run: async ({ context, caller }, { body, gone }) => {
      const { requests } = checked(requestsShape, body) as { requests: DecisionRequest[] };
      return { json: JSON.stringify({ decisions: await decide(context, caller, requests, gone()) }) };
    },
  },
];
