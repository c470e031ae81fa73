/** The name at the end of a URN; it may hold "::" itself. */
export const nameIn = (urn: string): string => urn.split("::").slice(3).join("::");
