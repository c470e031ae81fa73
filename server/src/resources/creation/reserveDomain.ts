import type { SentOf } from "@tunnelplane/sdk/contract";
import type { Behaviour } from "./behaviour";

/** Reserves a domain. Answers say where its CNAME record should lead. */
export const reserveDomain: Behaviour<SentOf<"reserved_domain">> = {
  plan: async ({ names }) => ({ computed: { cname_target: names.cnameTarget ?? null } }),
};
