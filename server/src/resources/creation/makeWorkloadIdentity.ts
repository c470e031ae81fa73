import type { SentOf } from "@tunnelplane/sdk/contract";
import { statement } from "../../storage";
import { RequestError } from "../../util";
import type { Behaviour } from "./behaviour";

/** Each exchange of a token looks through them. */
const MOST = 1000;

/**
 * Makes a workload identity, with the scopes of the key that makes it if none are named. Refuses those above
 * the limit; requests at the same time may go a little beyond it. Whether it has more scopes than the key is
 * looked at with every change; see `auth/rights.ts`.
 */
export const makeWorkloadIdentity: Behaviour<SentOf<"workload_identity">> = async (creation) => {
  const { reader, definition, sent, caller } = creation;
  const { kind } = definition;
  const [row] = await countOf(reader, { kind });
  if (Number(row?.count) >= MOST)
    throw new RequestError("taken", `There are ${MOST} workload identities already; delete one first`);
  return { sent: { ...sent, scopes: sent.scopes ?? [...caller.scopes] } };
};

const countOf = statement<{ kind: string }, { count: number | string | bigint }>((db, parameter) =>
  db
    .selectFrom("resource")
    .select(({ fn }) => fn.countAll().as("count"))
    .where("kind", "=", parameter("kind")),
);
