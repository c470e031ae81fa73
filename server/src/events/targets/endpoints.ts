import { type EventTarget, eventTargets } from "@tunnelplane/sdk/contract";

/** Users name the address of a webhook whole; those of the others are the services' own. */
export type Service = Exclude<EventTarget, "webhook"> | "sts";

const SERVICES: readonly Service[] = [...eventTargets().filter((target) => target !== "webhook"), "sts"];

/** Addresses to use instead of the services' public ones; `sts` issues the keys of roles. */
export type Endpoints = Readonly<Partial<Record<Service, string>>>;

/**
 * Reads the operator's setting: `<service>=<url>`, separated by commas or spaces.
 * @param before endpoints read so far; a service may not be named again
 */
export function parseEndpoints(text: string, before: Endpoints = {}): Endpoints {
  const endpoints: Partial<Record<Service, string>> = { ...before };
  for (const entry of text.split(/[\s,]+/).filter(Boolean)) {
    const [name, ...rest] = entry.split("=");
    const service = SERVICES.find((known) => known === name);
    if (!service || rest.length === 0)
      throw new Error(`An event endpoint must be <service>=<url>, the service one of ${SERVICES.join(", ")}`);
    if (endpoints[service]) throw new Error(`The event endpoint of ${service} is set twice; set it once`);
    endpoints[service] = checkUrl(service, rest.join("="));
  }
  return endpoints;
}

function checkUrl(service: Service, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash)
    throw new Error(
      `The event endpoint of ${service} must be an absolute http or https URL without user name, query and fragment, for example ${service}=https://vpce.example.com`,
    );
  return url.href.replace(/\/+$/, "");
}
