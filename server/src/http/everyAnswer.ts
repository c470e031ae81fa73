/**
 * Headers of every answer: nobody keeps it, since most hold secrets or what few may read, and browsers take
 * it for nothing but its type. The files of pages may be kept; see pages.ts.
 */
export const EVERY_ANSWER = { "cache-control": "no-store", "x-content-type-options": "nosniff" } as const;
