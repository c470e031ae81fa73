import { own } from "@tunnelplane/sdk/contract";

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
const escaped = (text: string): string => text.replace(/[&<>"']/g, (one) => own(ESCAPES, one) ?? "");

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
export const errorPage = ({ message, operationId, address }: ErrorPage): string =>
  page(
    address,
    "You are not signed in",
    `<p role="alert" class="problem">${escaped(message)}.</p>
      <p class="hint">The server's log has this under the number <code>${escaped(operationId)}</code>.</p>
      <p><a href="${escaped(address)}/console">Back to the console</a></p>`,
  );

/** The headers of a page whose form leads back to a command line that listens on this computer. */
export const pageHeaders = (port: number | undefined): Readonly<Record<string, string>> =>
  port === undefined
    ? PAGE_HEADERS
    : {
        ...PAGE_HEADERS,
        "content-security-policy": PAGE_HEADERS["content-security-policy"].replace(
          "form-action 'self'",
          `form-action 'self' http://127.0.0.1:${port}`,
        ),
      };

interface AskingPage {
  readonly address: string;
  /** The name of the user. */
  readonly name: string;
  readonly csrfToken: string;
}

const hidden = (fields: Readonly<Record<string, string | number>>): string =>
  Object.entries(fields)
    .map(([name, value]) => `<input type="hidden" name="${name}" value="${escaped(String(value))}">`)
    .join("");

/** Asks whether a command line on the computer of the browser may work as the user. */
export const consentPage = ({
  address,
  name,
  csrfToken,
  ...listening
}: AskingPage & { readonly challenge: string; readonly state: string; readonly port: number }): string =>
  page(
    address,
    "Let a command line in?",
    `<p>A command line on this computer wants to work as <strong>${escaped(name)}</strong> for 12 hours. Let it in only if you ran <code>tunnelplane login</code> just now.</p>
      <form method="post" action="${escaped(address)}/login">${hidden({ csrf_token: csrfToken, ...listening })}
        <button type="submit">Let it in</button>
      </form>`,
  );

/** Asks for the code that a command line shows. */
export const codePage = ({ address, name, csrfToken }: AskingPage): string =>
  page(
    address,
    "Let a command line in",
    `<p>It will work as <strong>${escaped(name)}</strong> for 12 hours. Enter a code only if your own command line shows it, and never one that somebody sent to you.</p>
      <form method="post" action="${escaped(address)}/login">${hidden({ csrf_token: csrfToken })}
        <label for="code">Code</label>
        <input id="code" name="user_code" autocomplete="off" spellcheck="false" required>
        <button type="submit">Let it in</button>
      </form>`,
  );

export const letInPage = (address: string): string =>
  page(address, "The command line is in", "<p>You can close this page, and go on there.</p>");

/** @param content HTML */
const page = (address: string, title: string, content: string): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${title} · tunnelplane</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="${escaped(address)}/console/console.css">
    <link rel="stylesheet" href="${escaped(address)}/console/parts.css">
  </head>
  <body>
    <header><span class="brand">tunnelplane</span></header>
    <main>
      <h1>${title}</h1>
      ${content}
    </main>
  </body>
</html>
`;
