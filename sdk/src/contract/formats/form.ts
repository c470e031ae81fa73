const [AND, EQUALS, PLUS, PERCENT, SPACE] = [0x26, 0x3d, 0x2b, 0x25, 0x20];

/**
 * The fields of a form (`application/x-www-form-urlencoded`), in their order; undefined where there are more
 * than `max`. Reads as URLSearchParams does, which may take seconds for what strangers send: this counts
 * first, and takes time in proportion to the form.
 */
export function fieldsOfForm(
  form: Buffer | string,
  max: number,
): [name: string, value: string][] | undefined {
  const bytes = typeof form === "string" ? Buffer.from(form) : form;
  let parts = 1;
  for (let at = bytes.indexOf(AND); at >= 0; at = bytes.indexOf(AND, at + 1))
    if (++parts > max) return undefined;
  const fields: [string, string][] = [];
  for (let from = 0; from <= bytes.length; ) {
    const found = bytes.indexOf(AND, from);
    const part = bytes.subarray(from, found < 0 ? bytes.length : found);
    const at = part.indexOf(EQUALS);
    if (part.length > 0)
      fields.push(
        at < 0 ? [decoded(part), ""] : [decoded(part.subarray(0, at)), decoded(part.subarray(at + 1))],
      );
    from += part.length + 1;
  }
  return fields;
}

/** A sign of per cent that encodes nothing stays, and what is no UTF-8 becomes U+FFFD. */
function decoded(bytes: Buffer): string {
  const plain = Buffer.allocUnsafe(bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    const encoded = byte === PERCENT ? digit(bytes[at + 1]) * 16 + digit(bytes[at + 2]) : Number.NaN;
    if (!Number.isNaN(encoded)) at += 2;
    plain[length++] = Number.isNaN(encoded) ? (byte === PLUS ? SPACE : byte) : encoded;
  }
  return plain.toString("utf8", 0, length);
}

/** Of a number to the base 16; NaN for any other character. */
function digit(code: number | undefined): number {
  if (code === undefined) return Number.NaN;
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : Number.NaN;
}
