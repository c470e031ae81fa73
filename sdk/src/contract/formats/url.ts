import { conditioned, text } from "../core/fields";

const urlOf = (beginning: RegExp, words: string, example: string) =>
  conditioned(text(2048), (value) => {
    if (!beginning.test(value) || !URL.canParse(value))
      return `must be an absolute URL that begins with ${words}`;
    const { username, password } = new URL(value);
    return username || password
      ? "must not hold a user name or a password: it is shown to everybody who may read the object"
      : undefined;
  }).meta({ examples: [example] });

/** An absolute https URL. */
export const httpsUrl = () => urlOf(/^https:\/\//i, '"https://"', "https://id.example.com");

/** An absolute http or https URL. */
export const webUrl = () => urlOf(/^https?:\/\//i, '"https://" or "http://"', "https://id.example.com");

/** The issuer of tokens, as they name it: an absolute URL without query and fragment (RFC 8414 section 2). */
export const issuerUrl = () =>
  conditioned(webUrl(), (value) =>
    /[?#]/.test(value) ? "must not have a query or a fragment: no issuer has" : undefined,
  );
