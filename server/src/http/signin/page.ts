const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
const escaped = (text: string): string => text.replace(/[&<>"']/g, (one) => ESCAPES[one] ?? "");

/** For pages that the server writes. They have no scripts. */
export const PAGE_HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy":
    "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
} as const;

interface ErrorPage {
  /** In plain words. */
  readonly message: string;
  /** Under which the log has it too. */
  readonly operationId: string;
  /** The server's address. */
  readonly address: string;
}

/** The page of somebody who is not signed in. */
export const errorPage = ({ message, operationId, address }: ErrorPage): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>Not signed in · tunnelplane</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="${escaped(address)}/console/console.css">
    <link rel="stylesheet" href="${escaped(address)}/console/parts.css">
  </head>
  <body>
    <header><span class="brand">tunnelplane</span></header>
    <main>
      <h1>You are not signed in</h1>
      <p role="alert" class="problem">${escaped(message)}.</p>
      <p class="hint">The server's log has this under the number <code>${escaped(operationId)}</code>.</p>
      <p><a href="${escaped(address)}/console">Back to the console</a></p>
    </main>
  </body>
</html>
`;
