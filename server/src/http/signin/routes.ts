import { isObject } from "@tunnelplane/sdk/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type Caller, csrfTokenOf, endSession, SESSION_MS, userAt } from "../../auth";
import { ATTEMPT_MS, ProviderAway, type SignIn, SignInRefused, takeAttempt } from "../../identities";
import { journaled } from "../../journal";
import type { ServerContext } from "../../resources";
import { isLoopback, isSession, RequestError } from "../../util";
import { JSON_TYPE } from "../bodies";
import { loggedErrorOf } from "../errors";
import { sessionOperation, signOutOperation } from "../operations/session";
import { callerAddress } from "../origin";
import { refuseOtherMethods } from "../serving";
import { type ForPeople, noSignIn, preparePages } from "./people";

const CALLBACK = "/sign_in/callback";
/** Paths of this server to which a sign-in may lead. */
const RETURN_TO = /^\/(console|login)([/?#][!-[\]-~]*)?$/;
const MAX_RETURN_LENGTH = 1000;

interface Serving extends ForPeople {
  /** Opens it; called once, for the first person. Undefined where the server has no identity provider. */
  readonly open: (() => SignIn) | undefined;
}

/** Serves what people sign in and out with: pages of the browser, and the session for scripts of pages. */
export function registerSignIn(app: FastifyInstance, serving: Serving): void {
  app.register(async (pages) => registerPages(pages, serving));
  app.register(async (scripts) => registerSessions(scripts, serving));
}

function registerPages(pages: FastifyInstance, { open, ...services }: Serving): void {
  const { authentication, apiKeys, cookies, addressOf } = services;
  let opened: SignIn | undefined;
  pages.addHook("onClose", () => opened?.close());
  const signIn = (): SignIn => {
    opened ??= open?.();
    if (!opened) throw noSignIn();
    return opened;
  };
  preparePages(pages, services, refusalOf);
  const config = { slots: () => "sign_ins" as const };

  pages.get("/sign_in", { config }, async (request, reply) => {
    refuseUnsafe(addressOf(request));
    const { address, cookie } = await signIn().begin(
      addressOf(request) + CALLBACK,
      returnToOf(request),
      cookies.attempt(request),
    );
    return redirect(reply, address, [cookies.setAttempt(request, cookie, ATTEMPT_MS)]);
  });

  pages.get(CALLBACK, { config }, async (request, reply) => {
    const mark = request.url.indexOf("?");
    const query = mark < 0 ? "" : request.url.slice(mark);
    const kept = cookies.attempt(request);
    const state = new URLSearchParams(query).get("state") ?? "";
    const taken = kept === undefined ? undefined : takeAttempt(kept, state);
    const others = taken?.rest ?? "";
    const forgetting = cookies.setAttempt(request, others, others === "" ? 0 : ATTEMPT_MS);
    reply.header("set-cookie", forgetting); // also where it is refused: an attempt is tried once
    const former = await authentication.sessionOf(request);
    const { secret, returnTo } = await signIn().finish({
      query,
      cookie: taken?.sealed,
      former: former?.keyId,
      operationId: request.id,
      client: callerAddress(request),
    });
    await apiKeys.forget(); // the user's groups may be others now
    reply.removeHeader("set-cookie");
    return redirect(reply, addressOf(request) + returnTo, [
      forgetting,
      cookies.setSession(request, secret, SESSION_MS),
    ]);
  });

  async function refusalOf(error: unknown, request: FastifyRequest) {
    if (error instanceof SignInRefused) {
      await opened?.record(error, { operationId: request.id, client: callerAddress(request) });
      return { status: 403, message: error.message };
    }
    if (error instanceof ProviderAway)
      return {
        status: 503,
        message: "The identity provider does not answer now. Try again shortly; API keys go on to work",
      };
    return loggedErrorOf(error, request);
  }
}

/** A cookie without `Secure` must not leave this machine. */
function refuseUnsafe(address: string): void {
  const { protocol, hostname } = new URL(address);
  if (protocol === "https:" || hostname === "localhost" || isLoopback(hostname.replace(/^\[|\]$/g, "")))
    return;
  throw new RequestError(
    "forbidden",
    "Signing in needs an address with https://. An operator sets --tls-cert and --tls-key, or --public-url behind a proxy that speaks TLS",
  );
}

function redirect(reply: FastifyReply, address: string, cookies: readonly string[]): FastifyReply {
  return reply
    .code(303)
    .headers({ location: address, "referrer-policy": "no-referrer", "set-cookie": [...cookies] })
    .send();
}

/** The path to which a sign-in leads: one of this server's pages, and no other address. */
function returnToOf(request: FastifyRequest): string {
  const path = (isObject(request.query) && request.query.return_to) || "/console";
  if (typeof path === "string" && path.length <= MAX_RETURN_LENGTH && RETURN_TO.test(path)) return path;
  throw new RequestError("invalid_query", "return_to must be a path of this server, for example /console", {
    field: "return_to",
  });
}

function registerSessions(
  scripts: FastifyInstance,
  { context, apiKeys, authentication, cookies, gate, open }: Serving,
): void {
  gate.guard(scripts, {});
  refuseOtherMethods(scripts, [sessionOperation, signOutOperation]);

  scripts.get(sessionOperation.path, async (request, reply) => {
    const [caller, secret] = [await authentication.sessionOf(request), cookies.session(request)];
    const isOpen = caller !== undefined && secret !== undefined;
    return reply.type(JSON_TYPE).send(
      JSON.stringify({
        user: isOpen ? await userIn(context, caller) : null,
        csrf_token: isOpen ? csrfTokenOf(secret) : null,
        expires_at: caller?.expiresAt ?? null,
        sign_in: open !== undefined,
      }),
    );
  });

  scripts.post(signOutOperation.path, async (request, reply) => {
    const caller = await authentication.callerOf(request, true);
    if (!isSession(caller.keyId))
      throw new RequestError(
        "forbidden",
        `This is an API key, and no session; DELETE /api_keys/${caller.keyId} deletes it`,
      );
    await signOut(context, caller, request);
    await apiKeys.forget();
    return reply
      .code(204)
      .header("set-cookie", cookies.setSession(request, "", 0))
      .send();
  });
}

async function userIn({ store, documents }: ServerContext, { ownerId }: Caller) {
  const { id, name, email } = await userAt(store.reader, documents, ownerId);
  return { id, name, email };
}

const signOut = (
  context: ServerContext,
  { keyId, ownerId, name }: Caller,
  { id: operationId, ip }: FastifyRequest,
): Promise<void> =>
  journaled(context, async (transaction, begunUnder) => {
    await endSession(transaction, keyId);
    await context.journal.append(
      transaction,
      begunUnder,
      { ownerId, name, keyId, operationId, client: callerAddress({ ip }) },
      [{ action: "signed_out", subject: keyId }],
    );
  });
