/** The roles of users and bots; the first is the default of bots. */
export const ROLES = ["member", "admin", "gateway"] as const;

export type Role = (typeof ROLES)[number];
