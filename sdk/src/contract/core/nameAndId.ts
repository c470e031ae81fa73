/**
 * An object for people, its name first: `"shop" (edgtls_0ERWdYmHciyPtBdiFM2OsTqjQue)`; its id alone where it
 * has no name.
 *
 * @param name as its program or catalogue has it, `resource_name` of the API
 */
export const nameAndId = (name: unknown, id: string): string =>
  typeof name === "string" && name !== "" && name !== id ? `${JSON.stringify(name)} (${id})` : id;
