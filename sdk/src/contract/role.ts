/** The roles of users and bots; the first is the default of bots. people.md "Roles". */
export const ROLES = ["member", "viewer", "admin", "gateway", "metrics"] as const;

export type Role = (typeof ROLES)[number];

/** Whether a role holds for the whole account; others hold in projects. */
export const isOfAccount = (role: Role): boolean => role !== "member" && role !== "viewer";

/** The project that every server has from the start. */
export const DEFAULT_PROJECT = { id: `proj_${"0".repeat(27)}`, name: "default" } as const;

/** Whether objects of other owners exist for callers of a role. */
export const seesAll = (role: Role): boolean => role === "admin" || role === "viewer";

/** Whether callers of a role read null in the place of each secret. */
export const seesNoSecrets = (role: Role): boolean => role === "viewer";
