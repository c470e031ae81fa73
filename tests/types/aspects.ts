// Checked by `npm run check`: each line that must not compile says so, and fails the check when it does.
import type { ModuleName } from "@tunnelplane/sdk/contract";
import { ASPECTS } from "../../sdk/src/meaning/aspects";
import type { Aspect } from "../../sdk/src/meaning/aspects/aspect";

type OfEachModule = { readonly [M in ModuleName]: Aspect<M> };

// Decisions know every module of the contract.
ASPECTS satisfies OfEachModule;

const { oidc: _module, ...fewer } = ASPECTS;
// @ts-expect-error a module of the contract has no aspect
fewer satisfies OfEachModule;
// @ts-expect-error the next module of the contract would have no aspect
ASPECTS satisfies OfEachModule & Record<"geo_fence", unknown>;
// @ts-expect-error an aspect leaves out one of the kinds that have its module
({ ...ASPECTS.policies, of: { tls_edge: true } }) satisfies Aspect<"policies">;
