import { exposureShape } from "@tunnelplane/sdk/operations";
import { exposurePage, hostportOf } from "../../exposure";
import { queryError } from "../../util";
import { limitOf, type Query } from "../query";
import type { ApiOperation } from "./operation";

export const EXPOSURE = {
  name: "Exposure",
  description: "Who can reach each address, what is checked, and where it leads.",
} as const;

/** Lists who can reach each address. */
export const exposureOperations: readonly ApiOperation[] = [
  {
    method: "GET",
    path: "/exposure",
    id: "listExposure",
    summary: "List who can reach what: a row for each address, in the order of addresses",
    tag: EXPOSURE,
    subject: "exposure",
    query: ["limit", "address", "after_address"],
    success: { status: 200, answer: exposureShape, list: { key: "exposure" } },
    run: ({ context, caller }, { query }) =>
      exposurePage(context, caller, {
        limit: limitOf(query),
        address: addressIn(query, "address"),
        after: addressIn(query, "after_address"),
      }),
  },
];

/** Hostports that edges can serve; keeps out characters that databases refuse. */
const HOSTPORT = /^[a-z0-9.*-]{1,255}:\d{1,5}$/;

function addressIn(query: Query, name: "address" | "after_address"): string | undefined {
  const text = query[name];
  if (text === undefined || HOSTPORT.test(hostportOf(text))) return text;
  throw queryError(
    name,
    `${name} must be "<host>:<port>", or that and a path: "app.example.com:443/admin" or "app.example.com:443 = /admin"`,
  );
}
