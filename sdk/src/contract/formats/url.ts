import { conditioned, text } from "../core/fields";
import { isDomain } from "./host";

/** The site of the monitoring service if the target names none. */
export const DEFAULT_SITE = "datadoghq.com";

/** A site of the monitoring service, or the address at which people open it there. */
export const site = () =>
  conditioned(text(255, "characters"), (value) =>
    siteIn(value) === undefined
      ? `must be a site, for example "${DEFAULT_SITE}" or "datadoghq.eu", or its URL, for example "https://app.datadoghq.eu"`
      : undefined,
  );

/** The domain of a site as it was written; the server sends to a host below it. Undefined if it is none. */
export function siteIn(written: string): string | undefined {
  if (written === "") return DEFAULT_SITE;
  const url = /^https:\/\//i.test(written) && URL.canParse(written) ? new URL(written) : undefined;
  if (url && (url.port || url.username || url.password)) return undefined;
  const host = (url?.hostname ?? written).replace(/^(app|api|www|http-intake\.logs)\./i, "");
  return host.includes(".") && isDomain(host) ? host : undefined;
}

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
