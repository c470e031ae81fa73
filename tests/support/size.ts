const LONG = process.env.TUNNELPLANE_SOAK === "1";

/** How much a test does: a little with `npm test`, all that the promise names with `npm run test:soak`. */
export const size = (short: number, long: number): number => (LONG ? long : short);

/** How long a test of either size may take. */
export const LIMIT_MS = size(5, 120) * 60_000;

/** Prints what was measured under the name of the test. Nothing is promised of it. */
export const figure = (text: string): void => console.log(`      ${text}`);
