import { conditioned, text } from "../core/fields";
import { isDomain } from "./host";

/** The site of the monitoring service if the target names none. */
export const DEFAULT_SITE = "datadoghq.com";

/** A site of the monitoring service. The server sends to a host below it, so it must be a plain domain. */
export const site = () =>
  conditioned(text(255, "characters"), (value) =>
    value === "" || isDomain(value)
      ? undefined
      : `must be a domain name alone, without scheme, port or path, for example "${DEFAULT_SITE}" or "datadoghq.eu"`,
  );
