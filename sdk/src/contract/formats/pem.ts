/** The blocks of a PEM: their labels, and what is between their first and last lines. */
export const PEM_BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----([^-]*)-----END \1-----/g;

const LINE = /.{1,64}/g;

/**
 * The blocks of a PEM in the form that every library reads (RFC 7468 section 2): OpenSSL and Envoy's library
 * take neither indented lines nor a CR without LF nor non-breaking spaces.
 *
 * @returns the text itself, trimmed, where it has no block
 */
export function pemWrittenAnew(pem: string): string {
  const blocks = [...pem.matchAll(PEM_BLOCK)].map(([block, label, body = ""]) => {
    const base64 = body.replace(/\s+/g, "");
    // Keys with a passphrase may have headers.
    if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return block;
    return [`-----BEGIN ${label}-----`, ...(base64.match(LINE) ?? []), `-----END ${label}-----`].join("\n");
  });
  return `${blocks.length === 0 ? pem.trim() : blocks.join("\n")}\n`;
}
