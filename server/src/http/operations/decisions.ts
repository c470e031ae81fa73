import { decisionsRequestShape, decisionsShape } from "@tunnelplane/sdk/operations";
import { decide } from "../../exposure";
import { EXPOSURE } from "./exposure";
import { type ApiOperation, checked } from "./operation";

/** A hundred requests with a hundred headers each, and as many parts beside them. */
const ROOM = { entries: 1000, values: 20_000 };

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
    room: ROOM,
    body: decisionsRequestShape,
    success: { status: 200, answer: decisionsShape },
    run: async ({ context, caller }, { body, gone }) => {
      const { requests } = checked(decisionsRequestShape, body);
      return { json: JSON.stringify({ decisions: await decide(context, caller, requests, gone()) }) };
    },
  },
];
