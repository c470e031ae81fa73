/** The name at the end of a URN; it may hold "::" itself. */
export const nameIn = (urn: string): string => urn.split("::").slice(3).join("::");

/** The types in a URN, those of the parents first. */
export const typesIn = (urn: string): string => urn.split("::")[2] ?? "";

/** The type of the resource itself. */
export const tokenIn = (urn: string): string => typesIn(urn).split("$").at(-1) ?? "";

/** The key by which the engine marks a special value, and its value for a secret (`resource.SecretSig`). */
export const SIGNATURE = "4dabf18193072939515e22adb298388d";
export const SECRET = "1b47061264138c4ac30d75fd1eb44270";

const TOKEN = /^(?:pulumi-nodejs:dynamic\/tunnelplane|tunnelplane:index):(\w+)$/;

/** The name of one of our classes by the engine's token of its type, with either provider. */
export const classIn = (token: string): string | undefined => TOKEN.exec(token)?.[1];
