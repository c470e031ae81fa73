/**
 * Headers of every answer. No cache keeps it, because most answers hold secrets or data for a few readers;
 * and no browser guesses another type. The files of pages may be kept; see pages.ts.
 */
export const DEFAULT_HEADERS = { "cache-control": "no-store", "x-content-type-options": "nosniff" } as const;
