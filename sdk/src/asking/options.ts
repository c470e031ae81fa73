/** The options of a question, as a command line hands them over. */
export interface AskedOptions {
  readonly from: string;
  readonly certificateOf?: string;
  readonly tokenOf?: string;
  readonly session?: boolean;
  readonly webhook?: boolean;
  readonly userAgent?: string;
  readonly header?: readonly string[];
}

/** The part of a command of the package `commander` that is needed here. */
interface CommandLike {
  argument(name: string, description: string): unknown;
  requiredOption(flags: string, description: string): unknown;
  option(flags: string, description: string): unknown;
  option(
    flags: string,
    description: string,
    parse: (value: string, before: string[] | undefined) => string[],
  ): unknown;
}

/** Gives a command the arguments and options of a question. */
export function askingOptions<C extends CommandLike>(command: C): C {
  command.argument("<method|address>", "method of the request (default: GET)");
  command.argument("[address]", "URL of the request: https://app.example.com/admin, or tls://HOST:PORT");
  command.requiredOption("--from <address>", "IP address that it comes from, or a network (CIDR)");
  command.option(
    "--certificate-of <id|name>",
    "authority that signed the caller's certificate: id, name, description or subject of one, or other (default: no certificate)",
  );
  command.option(
    "--token-of <issuer>",
    "issuer of the caller's token; all else in the token fits the address (default: no token)",
  );
  command.option(
    "--session",
    "the caller has signed in at the provider that the address names (default: not signed in)",
  );
  command.option(
    "--webhook",
    "the request is signed by the service that the address names (default: not signed)",
  );
  command.option("--user-agent <text>", "user agent (default: none)");
  command.option(
    "--header <name: value>",
    "header; may be repeated (default: none)",
    (header, headers = []) => [...headers, header],
  );
  return command;
}
