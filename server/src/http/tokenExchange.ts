import { own, SCOPES } from "@tunnelplane/sdk/contract";
import { ACCESS_TOKEN, GRANT_TYPE, MAX_TOKEN_LENGTH, SUBJECT_TOKEN_TYPES } from "@tunnelplane/sdk/operations";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { IssuerAway, type SentToken, type TokenExchange, TokenRefused } from "../identities";
import { quoted, RequestError } from "../util";
import { JSON_TYPE } from "./bodies";
import { loggedErrorOf } from "./errors";
import { acceptForms, fieldsOf, MAX_FORM_SIZE, wrongField } from "./forms";
import type { Gate } from "./gate";
import type { RateLimits } from "./limits/rateLimits";
import { tokenOperation } from "./operations/token";
import { callerAddress } from "./origin";
import { refuseOtherMethods } from "./serving";

interface Serving {
  /** Opens it; called once, for the first token. */
  readonly open: () => TokenExchange;
  readonly limits: RateLimits;
  readonly gate: Gate;
}

/**
 * Serves `POST /token`, without an API key: an address is limited before a token is looked at, and wrong
 * tokens count as wrong keys do.
 */
export function registerTokenExchange(app: FastifyInstance, { open, limits, gate }: Serving): void {
  let opened: TokenExchange | undefined;
  app.addHook("onClose", () => opened?.close());
  app.register(async (scope) => {
    acceptForms(scope);
    gate.guard(scope, { counts: "exchanges", restricts: "api", slot: "with body" });
    // The app's own handler sends what this one throws.
    scope.setErrorHandler(async (error, request) => {
      throw new ExchangeRefusal(loggedErrorOf(error, request));
    });
    refuseOtherMethods(scope, [tokenOperation]);
    scope.post(
      tokenOperation.path,
      { bodyLimit: MAX_FORM_SIZE, config: { slots: () => "exchanges" } },
      async (request, reply) => {
        const { key, ttl, scopes } = await exchanged(request);
        return reply.type(JSON_TYPE).send(
          JSON.stringify({
            access_token: key,
            issued_token_type: ACCESS_TOKEN,
            token_type: "Bearer",
            expires_in: ttl,
            ...(scopes.length > 0 && { scope: scopes.join(" ") }),
          }),
        );
      },
    );
  });

  async function exchanged(request: FastifyRequest) {
    const sent = { ...readForm(request.body), operationId: request.id, client: callerAddress(request) };
    opened ??= open();
    try {
      return await opened.exchange(sent);
    } catch (error) {
      const isRefused = error instanceof TokenRefused;
      if (isRefused || isMalformedToken(error) || error instanceof IssuerAway)
        await limits.countUnknown(sent.token, request);
      if (!isRefused) throw error;
      await opened.record(error, sent);
      throw new RequestError(
        "refused_token",
        "This identity token is not accepted here. An admin sees why in the audit log, under this operation id",
      );
    }
  }
}

const isMalformedToken = (error: unknown): boolean =>
  error instanceof RequestError && error.options.field === "subject_token";

/** An error of ours that also says what RFC 6749 section 5.2 wants. */
class ExchangeRefusal extends RequestError {
  constructor(refusal: RequestError) {
    super(refusal.error, refusal.message, refusal.options);
  }

  override body(operationId: string) {
    const description = this.message.replaceAll('"', "'").replace(/[^ -~]|\\/g, "?"); // the characters that it allows
    return { ...super.body(operationId), error: this.#name, error_description: description };
  }

  get #name(): string {
    if (this.status === 429 || this.status === 503) return "temporarily_unavailable";
    if (this.status >= 500) return "server_error";
    return own(NAMES, this.options.field ?? "") ?? "invalid_request"; // RFC 8693 wants it for wrong tokens too
  }
}

/** The errors of RFC 6749 and RFC 8693 that have a name of their own, by the parameter at fault. */
const NAMES: Readonly<Record<string, string>> = {
  grant_type: "unsupported_grant_type",
  audience: "invalid_target",
  scope: "invalid_scope",
};

/** Reads the parameters. */
function readForm(body: unknown): Pick<SentToken, "token" | "audience" | "scopes"> {
  const read = fieldsOf(body);
  const one = (name: string, accepted: readonly string[], isOptional = false): void => {
    const value = read(name);
    if (value === undefined ? isOptional : accepted.includes(value)) return;
    throw wrongField(name, `must be ${accepted.map((text) => JSON.stringify(text)).join(" or ")}`);
  };
  one("grant_type", [GRANT_TYPE]);
  one("subject_token_type", SUBJECT_TOKEN_TYPES);
  one("requested_token_type", [ACCESS_TOKEN], true);
  if (read("actor_token") !== undefined) throw wrongField("actor_token", "is not supported: leave it out");
  const [token, audience] = [read("subject_token"), read("audience")];
  if (token === undefined) throw wrongField("subject_token", "is missing: it is the identity token");
  if (token.length > MAX_TOKEN_LENGTH)
    throw wrongField(
      "subject_token",
      `has ${token.length} characters; at most ${MAX_TOKEN_LENGTH} are allowed`,
    );
  if (audience !== undefined && !/^(?:(?:wid|proj)_\w{1,60}|[a-z0-9-]{1,40})$/.test(audience))
    throw wrongField(
      "audience",
      'must name a workload identity ("wid_…") or a project ("proj_…", or its name), or be left out',
    );
  const scopes = read("scope")?.split(" ").filter(Boolean);
  const strange = scopes?.find((scope) => !SCOPES.includes(scope));
  if (strange !== undefined)
    throw wrongField("scope", `holds ${quoted(strange)}, which is not a scope of this API`);
  return { token, audience, scopes };
}
