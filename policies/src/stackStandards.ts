import type { StackValidationArgs, StackValidationPolicy } from "@pulumi/policy";
import { worldsOfStack } from "@tunnelplane/pulumi/review";
import { type Exposure, exposureOf, type Named, type World } from "@tunnelplane/sdk/meaning";
import { visible } from "@tunnelplane/sdk/node";
import { declaredBy } from "./resources";

/** The mistake of an address, in a sentence; undefined if it has none. */
type Judge<Config> = (exposure: Exposure, config: Config) => string | undefined;

/** A policy on each address that a stack declares, whichever resources make it up. */
const onAddresses =
  <Config>(judge: Judge<Config>) =>
  (args: StackValidationArgs, report: (message: string, urn?: string) => void): void => {
    const { after } = worldsOfStack([], args.resources.map(declaredBy));
    // Without a configuration Pulumi may answer none; each field of a configuration may be left out.
    const config = args.getConfig<Config & object>() ?? ({} as Config);
    for (const exposure of exposureOf(after)) {
      const message = judge(exposure, config);
      if (message !== undefined) report(visible(message), urnOf(after, exposure.route ?? exposure.edge));
    }
  };

const urnOf = ({ objects }: World, named: Named | null): string | undefined =>
  objects.find(({ kind, name }) => kind === named?.kind && name === named.name)?.urn;

const isOpen = ({ unknown }: Exposure, field: keyof Exposure): boolean => unknown.includes(field);

const ADMIN = ["/admin"];

/** A route is at or below a path: `/admin`, `/admin/users`, and not `/administration`. */
const isBelow = (match: string, path: string): boolean =>
  match === path || match.startsWith(`${path.replace(/\/$/, "")}/`);

/** The path of a route in its address: `app.example.com:443 = /admin` for an exact one. */
const pathIn = (address: string): string => /(\/.*)$/.exec(address)?.[1] ?? "";

/**
 * Standards for addresses. Modules may be resources of their own, so these standards look at whole stacks.
 */
export const stackStandards: readonly StackValidationPolicy[] = [
  {
    name: "edges-authenticate-callers",
    description: "Every address asks who calls: by a client certificate, a sign-in or a token.",
    severity: "high",
    configSchema: {
      properties: {
        upstreamMayAsk: {
          type: "boolean",
          default: false,
          description: "Addresses whose TLS ends upstream are left to what serves them.",
        },
      },
    },
    validateStack: onAddresses<{ upstreamMayAsk?: boolean }>((exposure, { upstreamMayAsk = false }) => {
      const { address, client_certificate, sign_in, token, tls } = exposure;
      if (upstreamMayAsk && tls.ends_at === "upstream") return undefined;
      if (client_certificate || sign_in || token) return undefined;
      if (
        (["client_certificate", "sign_in", "token", "tls"] as const).some((field) => isOpen(exposure, field))
      )
        return undefined;
      return tls.ends_at === "upstream"
        ? `\`${address}\` ends TLS upstream, so the edge cannot ask who calls. End it at the edge, and declare mutualTls.`
        : `\`${address}\` asks nobody who they are. Declare mutualTls, or on a route of an HTTPS edge oidc or jwtValidation.`;
    }),
  },
  {
    name: "edges-require-tls-1.3",
    description: "Every address refuses TLS 1.2 and older.",
    severity: "medium",
    validateStack: onAddresses((exposure) => {
      const { address, tls } = exposure;
      // Where TLS ends upstream, the edge has no say.
      if (isOpen(exposure, "tls") || tls.from === null || tls.from >= "1.3") return undefined;
      return `\`${address}\` accepts TLS ${tls.from}. Set tlsTermination.minVersion to "1.3".`;
    }),
  },
  {
    name: "admin-routes-sign-in",
    description: "Users of a route for administrators sign in.",
    severity: "high",
    configSchema: {
      properties: {
        paths: {
          type: "array",
          items: { type: "string" },
          default: ADMIN,
          description: "At and below these paths users have to sign in.",
        },
      },
    },
    validateStack: onAddresses<{ paths?: readonly string[] }>((exposure, { paths = ADMIN }) => {
      const { address, route, sign_in } = exposure;
      if (
        !route ||
        sign_in ||
        isOpen(exposure, "sign_in") ||
        !paths.some((path) => isBelow(pathIn(address), path))
      )
        return undefined;
      return `\`${address}\` is for administrators, and nobody has to sign in. Declare oidc.`;
    }),
  },
];
