import { ConflictError, type Transport } from "@tunnelplane/sdk";
import { definitionNamed, pathFieldsOf } from "@tunnelplane/sdk/contract";
import type { Lifecycle, Properties } from "../core";
import type { Operation } from "./operation";

/**
 * The id of the edge or route that a module or a route belongs to and that leaves in this run, too. The
 * engine deletes it afterwards, so that in between it would be more open than any program says. Undefined
 * where it stays, as far as the run and the stack's state tell.
 *
 * @param kind of what is deleted, `https_edge_route` or `tls_edge.ip_restriction`
 */
export async function wholeLeaving(
  operation: Operation,
  kind: string,
  id: string,
): Promise<string | undefined> {
  if (kind === RULE) return undefined;
  for (const whole of wholesOf(kind, id, {}))
    if (await leaves(operation, whole)) return whole.split("/").at(-1);
  return undefined;
}

/** The ids of the edge and the route, or of the policy, that an object belongs to. */
export function wholesOf(kind: string, id: string, { ipPolicyId }: Properties): string[] {
  const [object = "", module] = kind.split(".");
  if (kind === RULE) return typeof ipPolicyId === "string" ? [ipPolicyId] : [];
  const above = pathFieldsOf(definitionNamed(object)).flatMap(() => id.split("/").slice(0, -1).join("/"));
  return [...above, ...(module === undefined ? [] : [id])];
}

/** Whether objects of a kind are deleted with another one, and keep callers from it. */
export const belongsTogether = (kind: string): boolean => kind.includes(".") || PARTS.includes(kind);

const RULE = "ip_policy_rule";
const PARTS: readonly string[] = ["https_edge_route", RULE];

/**
 * Whether a rule is a denial whose policy leaves in this run, too, and takes it along. Until then it goes on
 * denying.
 */
export const endsWithPolicy = async (
  operation: Operation,
  kind: string,
  recorded: Properties,
): Promise<boolean> =>
  kind === RULE &&
  recorded.action === "deny" &&
  typeof recorded.ipPolicyId === "string" &&
  (await leaves(operation, recorded.ipPolicyId));

interface Creating<T> {
  readonly create: () => Promise<T>;
  readonly desired: Properties;
  /** Why it failed. */
  readonly error: unknown;
}

/**
 * Creates a rule where a broken-off run left one of its network to the deletion of the policy, which never
 * came. No resource of the stack has that one any more.
 */
export async function createOverLeftRule<T extends { readonly id: string; readonly outputs: Properties }>(
  { stateOfStack, host }: Operation,
  lifecycle: Lifecycle,
  transport: Transport,
  { create, desired, error }: Creating<T>,
): Promise<T | { id: string; outputs: Properties }> {
  const [, id] = (error instanceof ConflictError && /\((ipr_\w+)\)/.exec(error.message)) || [];
  if (lifecycle.definition.kind !== RULE || id === undefined) throw error;
  const state = await stateOfStack().catch(() => []);
  if (!state.some((one) => one.id === desired.ipPolicyId) || state.some((one) => one.id === id)) throw error;
  const found = await lifecycle.read(transport, id, desired);
  if (found && lifecycle.plan(found.outputs, desired, host.isUnknown).replaces.length === 0)
    return { id, outputs: await lifecycle.update(transport, id, found.outputs, desired) };
  await lifecycle.delete(transport, id, desired);
  return create();
}

/** Whether the engine will delete an object of the stack in this run, unless its user chose targets. */
async function leaves(operation: Operation, id: string): Promise<boolean> {
  // A run with targets may replace a part of an object that it does not look at.
  if (operation.wholes.has(id)) return false;
  if ([...operation.current.values()].includes(id) && !operation.replacing.has(id)) return false;
  // Where the state cannot be read, the object may belong to another stack.
  const recorded = (await operation.stateOfStack().catch(() => [])).filter(
    (resource) => resource.id === id && isHolder(resource.type.split(":").at(-1) ?? ""),
  );
  return recorded.some(
    (one) => !one.external && !one.retainOnDelete && (one.delete === true || !one.protect),
  );
}

/** Resources of modules have the ids of their objects. No kind is loaded before it is asked for. */
const isHolder = (type: string): boolean => HOLDERS.some((kind) => definitionNamed(kind).type === type);

const HOLDERS: readonly string[] = ["https_edge", "https_edge_route", "tls_edge", "tcp_edge", "ip_policy"];
