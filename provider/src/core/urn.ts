/** The name at the end of a URN; it may hold "::" itself. */
export const nameIn = (urn: string): string => urn.split("::").slice(3).join("::");

/** The types in a URN, those of the parents first. */
export const typesIn = (urn: string): string => urn.split("::")[2] ?? "";

const TOKEN = /^(?:pulumi-nodejs:dynamic\/tunnelplane|tunnelplane:index):(\w+)$/;

/** The name of one of our classes by the engine's token of its type, with either provider. */
export const classIn = (token: string): string | undefined => TOKEN.exec(token)?.[1];
