import type { EventDestinationTarget } from "@tunnelplane/sdk";
import { type Definition, definitionOf, secretsIn } from "@tunnelplane/sdk/contract";

const MAX_MESSAGE_LENGTH = 500;
/** Shorter ones stand in many a text that has nothing to do with the secret. */
const MIN_ENCODED_LENGTH = 8;

/** Makes a service's message fit to be stored and shown. */
export type Mask = (message: string) => string;

/**
 * Masks what services say, since a message may repeat the request. It removes the target's secrets, which the
 * contract's marks name, as they are and in the forms that requests and answers encode them in; joins lines;
 * limits the length.
 *
 * @param definition of the kind that holds the target
 */
export function maskOf(
  target: EventDestinationTarget,
  definition: Definition = definitionOf("event_destination"),
): Mask {
  const secrets = [...secretsIn(definition, { target }).values()];
  // The longest first: a form that is the beginning of another must leave no rest of it.
  const forms = [...new Set(secrets.flatMap(formsOf))].sort((a, b) => b.length - a.length);
  return (message) =>
    forms
      .reduce((text, form) => text.replaceAll(form, "…"), message)
      .replace(/\s+/g, " ")
      .slice(0, MAX_MESSAGE_LENGTH);
}

function formsOf(secret: string): string[] {
  const wellFormed = Buffer.from(secret).toString();
  const percent = encodeURIComponent(wellFormed);
  const strict = percent.replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
  const urls = [
    percent,
    strict,
    encodeURI(wellFormed),
    new URLSearchParams([["", secret]]).toString().slice(1),
  ];
  const hex = Buffer.from(secret).toString("hex");
  const encoded = [
    ...jsonOf(secret),
    ...urls.flatMap((form) => [form, form.replace(/%../g, (code) => code.toLowerCase())]),
    ...base64Of(secret),
    ...[hex, hex.toUpperCase()],
  ];
  return [secret, ...encoded.filter((form) => form.length >= MIN_ENCODED_LENGTH)];
}

/**
 * The characters that writers of JSON give as codes such as \u0053: only those that they must; those of Go;
 * of Gson; of PHP and Python; of .NET; all but letters, digits and underscores; all.
 */
const CODED = [/(?!)/u, /[<>&]/u, /[<>&=']/u, /[^ -~]/u, /[^ -~]|["&'+<>`]/u, /\W/u, /./su];

const escaped = (text: string) => JSON.stringify(text).slice(1, -1);

/** The secret in JSON, as different writers escape it, and in JSON within JSON, three times at most. */
function jsonOf(secret: string): string[] {
  const once = CODED.flatMap((coded) => {
    const small = Array.from(secret, (char) => (coded.test(char) ? codesOf(char) : escaped(char))).join("");
    const large = small.replace(/\\u[0-9a-f]{4}/g, (code) => `\\u${code.slice(2).toUpperCase()}`);
    return [small, large].flatMap((form) => [form, form.replaceAll("/", "\\/")]);
  });
  const twice = once.map(escaped);
  // Some escape the quotes again, and not the backslashes before them.
  return [...once, ...once.map((form) => form.replaceAll('"', '\\"')), ...twice, ...twice.map(escaped)];
}

const codesOf = (char: string) =>
  char
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");

/**
 * The secret in base64, in both alphabets. A header such as `Basic` puts a name before it, so it may begin at
 * any of three places within a group; the characters that it shares with its neighbours are left out.
 */
function base64Of(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [0, 1, 2].flatMap((shift) => {
    const shifted = Buffer.concat([Buffer.alloc(shift), bytes]);
    const [first, last] = [Math.ceil((shift * 8) / 6), Math.floor((shifted.length * 8) / 6)];
    return [shifted.toString("base64"), shifted.toString("base64url")].map((text) => text.slice(first, last));
  });
}
