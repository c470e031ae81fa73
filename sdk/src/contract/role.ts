/** What users and bots may be; the first is what a bot is where nobody says more. */
export const ROLES = ["member", "admin", "gateway"] as const;

export type Role = (typeof ROLES)[number];
