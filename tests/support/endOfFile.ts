const ends: (() => unknown)[] = [];
/** Has something done after the last test of the file, what was asked for last first. */
export const atEndOfFile = (end: () => unknown): number => ends.push(end);

/** What `setup.cjs` calls then: a process runs several files, and loads helpers once. */
export async function endFile(): Promise<void> {
  for (const end of ends.splice(0).reverse()) await end();
}
