import type { Json } from "./json";

const HEADERS = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
};

/** The fields of an answer of Envoy's own that make it a page. @param page in Envoy's format of texts */
export const withPage = (page: string): Json => ({
  body_format_override: {
    text_format_source: { inline_string: page },
    content_type: "text/html; charset=UTF-8",
  },
  headers_to_add: Object.entries(HEADERS).map(([key, value]) => ({
    header: { key, value },
    append_action: "OVERWRITE_IF_EXISTS_OR_ADD",
  })),
});

/** A page for people, who see it in the colours of their system. */
export const pageOf = (title: string, body: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
main { max-width: 32rem; margin: 4rem auto; padding: 0 1rem }
button { font: inherit; padding: 0.5rem 1rem }
</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`;
