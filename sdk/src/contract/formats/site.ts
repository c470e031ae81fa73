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
