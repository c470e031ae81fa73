const PEM = /-----BEGIN [A-Z0-9 ]+-----[\s\S]*?(-----END [A-Z0-9 ]+-----|$)/g;

/** The engine's text without its colours, without keys and certificates, of bounded length. */
export function plain(message: string, most = 1000): string {
  const text = message
    .replace(/<\{%[^%]*%\}>/g, "")
    .replace(PEM, "(PEM)")
    .trim();
  return text.length > most ? `${text.slice(0, most)}…` : text;
}
