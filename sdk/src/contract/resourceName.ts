/** The header that names the object of a creation or an update: percent-encoded UTF-8. Empty: no name. */
export const NAME_HEADER = "Tunnelplane-Name";

/** The limit on a name, in bytes of UTF-8. */
export const MAX_NAME_BYTES = 255;

/** Characters that no name may have. */
export const NOT_IN_NAMES = /\p{Cc}/u;

/**
 * The value of the header for a text: control characters become spaces, and what is beyond 255 bytes is cut,
 * so that no object is refused because of its name.
 */
export function nameHeaderOf(text: string): string {
  let [name, bytes] = ["", 0];
  for (const character of text.replace(/[\p{Cc}\p{Cs}]/gu, " ").trim()) {
    bytes += Buffer.byteLength(character);
    if (bytes > MAX_NAME_BYTES) break;
    name += character;
  }
  return encodeURIComponent(name);
}
