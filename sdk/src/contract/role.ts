/** The roles of users and bots; the first is the default of bots. people.md "Roles". */
export const ROLES = ["member", "viewer", "admin", "gateway", "metrics"] as const;

export type Role = (typeof ROLES)[number];

/** The roles that may hold in single projects. */
export const PROJECT_ROLES = ["member", "viewer", "admin"] as const satisfies readonly Role[];

export const isOfProjects = (role: Role): boolean => PROJECT_ROLES.some((one) => one === role);

/** Whether a role holds for the whole account; others hold in projects. */
export const isOfAccount = (role: Role | null): boolean =>
  role !== null && role !== "member" && role !== "viewer";

const BY_STRENGTH: readonly Role[] = ["admin", "member", "viewer", "gateway", "metrics"];

/** The strongest of several roles; undefined for none. */
export const strongest = (roles: readonly (Role | null | undefined)[]): Role | undefined =>
  BY_STRENGTH.find((role) => roles.includes(role));

/** The project that every server has from the start. */
export const DEFAULT_PROJECT = { id: `proj_${"0".repeat(27)}`, name: "default" } as const;

/** The form of projects' names. */
export const PROJECT_NAME = /^[a-z0-9-]{1,40}$/;

/** The header that chooses a project by its name. */
export const PROJECT_HEADER = "Tunnelplane-Project";

/** The end of a sentence about a text that is not the name of a project; undefined if it is one. */
export const mistakeInProjectName = (text: string): string | undefined =>
  PROJECT_NAME.test(text)
    ? undefined
    : `must be a name of 1 to 40 characters: a to z, 0 to 9 and "-"; got ${JSON.stringify(text)}`;

/** Whether objects of other owners exist for callers of a role. */
export const seesAll = (role: Role | null): boolean => role === "admin" || role === "viewer";

/** Whether callers of a role read null in the place of each secret. */
export const seesNoSecrets = (role: Role | null): boolean => role === "viewer";
