/** Whether everything is tried that takes long: `npm run test:soak`. */
export const SOAK = process.env.TUNNELPLANE_SOAK === "1";
/** The size of a test: small with `npm test`, as large as the promise says with `npm run test:soak`. */
export const size = (short: number, long: number): number => (SOAK ? long : short);
/** The time limit of a test of either size. */
export const LIMIT_MS = size(5, 120) * 60_000;
/** Prints a measured figure under the name of the test. No assertion depends on it. */
export const figure = (text: string): void => console.log(`      ${text}`);
