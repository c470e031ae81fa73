// Checked by `npm run check`: each line that must not compile says so, and fails the check when it does.
import type { ActionName, ModuleName, ModuleNameOf } from "@tunnelplane/sdk/contract";
import { EFFECTS, type Effect } from "@tunnelplane/sdk/rules";
import { ENFORCED, ENFORCED_ACTIONS, type Enforcement } from "../../gateway/src/envoy/enforced";

// The gateway has an entry for every module and action of the contract.
ENFORCED satisfies Record<ModuleName, object>;
ENFORCED_ACTIONS satisfies Record<ActionName, string>;
EFFECTS satisfies Record<ActionName, Effect>;

const { oidc: _module, ...fewerModules } = ENFORCED;
// @ts-expect-error a module of the contract has no entry
fewerModules satisfies Enforcement;
// @ts-expect-error a module of the contract has no entry
fewerModules satisfies Record<ModuleName, object>;
// @ts-expect-error a module has no entry for one of the kinds that have it
({ ...ENFORCED, policies: { tls_edge: "network filters" } }) satisfies Enforcement;
// @ts-expect-error the next module of the contract would have no entry
ENFORCED satisfies Record<ModuleName | "geo_fence", object>;

const { deny: _action, ...fewerActions } = ENFORCED_ACTIONS;
// @ts-expect-error an action of the contract has no entry
fewerActions satisfies Record<ActionName, string>;
// @ts-expect-error the next action of the contract would have no entry
ENFORCED_ACTIONS satisfies Record<ActionName | "challenge", string>;
// @ts-expect-error nor anything that says what it does to a request
EFFECTS satisfies Record<ActionName | "challenge", Effect>;

// The names are those of the contract, by kind.
export const known: ModuleNameOf<"https_edge">[] = ["mutual_tls", "tls_termination"];
// @ts-expect-error TLS of a static backend is not a module
export const none: ModuleNameOf<"static_backend"> = "tls";
