import { type Kind, type Role, registry } from "@tunnelplane/sdk/contract";
import { refusedBeside } from "./refusal";
import type { RestAnswer } from "./rest";
import { tableOf } from "./table";

export type Permission = "read" | "plan" | "write";
const PERMISSIONS: readonly Permission[] = ["read", "plan", "write"];
/** The most that each role may do; nothing where it is left out. */
type Row = Partial<Record<Role, Permission>>;

interface Other {
  readonly row: Row;
  readonly permission?: Permission;
  readonly scopes?: "none" | "of any kind";
  /** Whether the role must hold for the whole account: admins of a project may not. */
  readonly ofAccount?: true;
}

/** The matrix, written by hand. */
const { others, adminsOwn, adminsWrite, forGateways } = tableOf<{
  readonly others: Readonly<Record<string, Other>>;
  readonly adminsOwn: readonly Kind[];
  readonly adminsWrite: readonly Kind[];
  readonly forGateways: readonly Kind[];
}>(__dirname, "rights.yaml");
export const OTHERS = others;

const rowOf = (kind: Kind): Row => ({
  ...(adminsOwn.includes(kind) ? {} : { member: adminsWrite.includes(kind) ? "read" : "write" }),
  viewer: "plan",
  admin: "write",
  ...(forGateways.includes(kind) && { gateway: "read" }),
});

export interface Endpoint {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly permission: Permission;
  readonly row: Row;
  readonly kind?: Kind;
  readonly scopes?: "none" | "of any kind";
  /** Whether the role must hold for the whole account. */
  readonly ofAccount: boolean;
}

/** Each endpoint of the OpenAPI document; with a dry run too, where it has one. */
export function endpointsIn({ paths }: { paths: object }): Endpoint[] {
  const kindsByPath = registry
    .map(({ kind, path }) => ({ kind, path }))
    .sort((a, b) => b.path.length - a.path.length);
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(
      methods as Record<string, { operationId: string; parameters: { $ref?: string }[]; security?: [] }>,
    ).flatMap(([method, { operationId: id, parameters, security }]): Endpoint[] => {
      if (security) return []; // it takes no key, and its own tests say what it takes
      const kind = kindsByPath.find((one) => path === one.path || path.startsWith(`${one.path}/{id}`))?.kind;
      const other = OTHERS[id];
      const row = kind ? rowOf(kind) : other?.row;
      if (!row) throw new Error(`${id} has no row in the matrix: say in OTHERS who may do it`);
      const permission = other?.permission ?? (method === "get" ? "read" : "write");
      const ofAccount =
        other?.ofAccount ?? ((kind === "project" || kind === "ip_restriction") && permission === "write");
      const scopes = other?.scopes;
      const one = { id, method: method.toUpperCase(), path, permission, row, kind, scopes, ofAccount };
      const isDry = parameters.some(({ $ref }) => $ref?.endsWith("/dry_run"));
      // Plans that viewers may make are open to admins of a project, too.
      const dry = { permission: "plan", ofAccount: ofAccount && row.viewer === undefined } as const;
      return isDry ? [one, { ...one, ...dry, path: `${path}?dry_run=true` }] : [one];
    }),
  );
}

/** Shows that an answer refuses what an admin may ask, whatever then becomes of the admin's request. */
export async function expectRefusedUnlikeAdmin(
  answer: RestAnswer,
  asAdmin: () => Promise<RestAnswer>,
  ...mentions: string[]
): Promise<void> {
  await refusedBeside({
    refused: () => Promise.resolve(answer),
    as: { status: 403, code: "TP_1200", mentions },
    allowed: async () => ((await asAdmin()).status === 403 ? "refused" : "let in"),
    allowedAs: "let in",
  });
}

export const holds = (have: Permission | undefined, want: Permission) =>
  have !== undefined && PERMISSIONS.indexOf(have) >= PERMISSIONS.indexOf(want);

export function isInScope(scopes: readonly string[], { permission, kind, scopes: rule }: Endpoint): boolean {
  if (scopes.length === 0 || rule === "none") return true;
  return scopes.some((scope) => {
    const [of, one] = scope.split(":");
    if (one === undefined) return holds(scope as Permission, permission);
    return (of === kind || rule === "of any kind") && holds(one === "write" ? "write" : "read", permission);
  });
}
