import { KINDS } from "@tunnelplane/sdk/contract";
import { visible } from "@tunnelplane/sdk/node";

/** Shorter texts occur in too many words to be hidden everywhere. */
const MIN_LENGTH = 6;
/** A message that contains this much of the beginning of a secret repeats the secret, even if it cuts it. */
const BEGINNING = 32;
const HIDDEN = "[secret]";

/** All texts that came to this process, or left it, as secrets. It serves one operation of the engine. */
const texts = new Set<string>();

/**
 * Notes a secret, so that no message repeats it. Names of properties stay readable; other names in it are the
 * user's own.
 */
export function noteSecret(value: unknown): void {
  if (typeof value === "string" || typeof value === "number") texts.add(String(value));
  if (typeof value !== "object" || value === null) return;
  for (const [name, item] of Object.entries(value)) {
    if (!/^\w+$/.test(name) && !isNameInSet(name)) texts.add(name);
    noteSecret(item);
  }
}

/** In a set, tokens are listed under the names of its objects, which every preview shows. */
const isNameInSet = (name: string): boolean => KINDS.some((kind) => name.startsWith(`${kind}/`));

/**
 * A message as the engine may show it: without parts of secrets, and without characters that control a
 * terminal.
 */
export const shown = (message: string): string => visible(withoutSecrets(message));

/** A message without secrets and parts of them. The engine itself masks only secrets of the configuration. */
export function withoutSecrets(message: string): string {
  const secrets = [...texts]
    .flatMap((text) => [...new Set([text, JSON.stringify(text).slice(1, -1)])])
    .sort((a, b) => b.length - a.length);
  // A text that was cut has lost its closing quote; the next line has nothing to do with it.
  const unquoted = message.replace(/"(?:[^"\\\n]|\\.)*"/g, (quoted) => {
    const text = quoted.slice(1, -1).replace(/…$/, "");
    return secrets.some((secret) => secret === text || haveInCommon(text.toLowerCase(), secret.toLowerCase()))
      ? HIDDEN
      : quoted;
  });
  return secrets.filter(({ length }) => length >= MIN_LENGTH).reduce(hide, unquoted);
}

/** Whether a quoted text is part of a secret, or shows one of its parts. */
const haveInCommon = (text: string, secret: string): boolean =>
  (text.length >= MIN_LENGTH && secret.includes(text)) ||
  secret.split(/[\s,/]+/).some((part) => part.length >= MIN_LENGTH && text.includes(part));

/** Hides a text, or as much of its beginning as a message shows, in upper or lower case. */
function hide(message: string, text: string): string {
  const [shown, wanted] = [message.toLowerCase(), text.toLowerCase()];
  const at = shown.indexOf(wanted.slice(0, BEGINNING));
  if (at < 0) return message;
  let length = 0;
  while (length < wanted.length && shown[at + length] === wanted[length]) length++;
  return message.slice(0, at) + HIDDEN + hide(message.slice(at + length), text);
}
