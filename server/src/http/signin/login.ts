import { isObject, own } from "@tunnelplane/sdk/contract";
import { loginKeyRequestShape } from "@tunnelplane/sdk/operations";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import {
  beginDevice,
  beginLogin,
  type Caller,
  csrfTokenOf,
  DEVICE_MS,
  type Grant,
  grantCode,
  grantDevice,
  isCsrfTokenOf,
  redeem,
  userAt,
} from "../../auth";
import { journaled } from "../../journal";
import type { ServerContext } from "../../resources";
import { RequestError } from "../../util";
import { JSON_TYPE, objectIn } from "../bodies";
import { acceptForms, fieldsOf, MAX_FORM_SIZE } from "../forms";
import { deviceOperation, loginKeyOperation } from "../operations/login";
import { checked } from "../operations/operation";
import { callerAddress } from "../origin";
import { refuseOtherMethods } from "../serving";
import { codePage, consentPage, letInPage, PAGE_HEADERS, pageHeaders } from "./page";
import { type ForPeople, noSignIn, preparePages } from "./people";

/** The page at which people let a command line in. */
const PAGE = "/login";
const CHALLENGE = /^[\w-]{43}$/;
const STATE = /^[\w-]{1,100}$/;

/** A command line on the computer of the browser, which listens there for its code. */
interface Listening {
  readonly challenge: string;
  readonly state: string;
  readonly port: number;
}

/** Serves what `tunnelplane login` needs: a page on which people let it in, and its key. */
export function registerLogin(app: FastifyInstance, services: ForPeople, hasSignIn: boolean): void {
  if (!hasSignIn) return void app.register(async (pages) => registerNotice(pages, services));
  app.register(async (pages) => registerPages(pages, services));
  app.register(async (scripts) => registerKeys(scripts, services));
}

/** Says on the page itself why nobody signs in here. */
function registerNotice(pages: FastifyInstance, services: ForPeople): void {
  preparePages(pages, services);
  pages.get(PAGE, async () => {
    throw noSignIn();
  });
}

function registerPages(pages: FastifyInstance, services: ForPeople): void {
  const { context, authentication, cookies, limits, addressOf } = services;
  acceptForms(pages);
  preparePages(pages, services);

  pages.get(PAGE, async (request, reply) => {
    const session = await sessionIn(request);
    if (!session) return signInFirst(request, reply);
    const listening = listeningIn((name) => queryField(request, name));
    const shown = {
      address: addressOf(request),
      name: session.caller.name,
      csrfToken: session.csrfToken,
    };
    reply.headers(pageHeaders(listening?.port));
    return reply.send(listening ? consentPage({ ...shown, ...listening }) : codePage(shown));
  });

  pages.post(PAGE, { bodyLimit: MAX_FORM_SIZE }, async (request, reply) => {
    const session = await sessionIn(request);
    if (!session) throw new RequestError("unknown_key", "Your session has ended: sign in again");
    const field = fieldsOf(request.body);
    if (!isCsrfTokenOf(session.secret, field("csrf_token")))
      throw new RequestError("forbidden", "This form was not made for your session: open the page again");
    const grant = await grantOf(context, session.caller);
    const listening = listeningIn(field);
    if (!listening) return letIn(request, reply, field("user_code"), grant);
    const code = await context.store.write((transaction) =>
      grantCode(transaction, listening.challenge, grant),
    );
    const query = new URLSearchParams({ code, state: listening.state });
    return reply
      .code(303)
      .headers(pageHeaders(listening.port))
      .header("location", `http://127.0.0.1:${listening.port}/?${query}`)
      .send();
  });

  async function letIn(
    request: FastifyRequest,
    reply: FastifyReply,
    typed: string | undefined,
    grant: Grant,
  ): Promise<FastifyReply> {
    const userCode = (typed ?? "").toUpperCase().replace(/[^A-Z]/g, "");
    const isFound = await context.store.write((transaction) => grantDevice(transaction, userCode, grant));
    if (!isFound) {
      await limits.countUnknown(`user code ${userCode}`, request);
      throw new RequestError(
        "invalid_field",
        "No command line waits with this code: compare it with what yours shows, or begin again there",
      );
    }
    return reply.headers(PAGE_HEADERS).send(letInPage(addressOf(request)));
  }

  async function sessionIn(request: FastifyRequest) {
    const [caller, secret] = [await authentication.sessionOf(request), cookies.session(request)];
    return caller && secret ? { caller, secret, csrfToken: csrfTokenOf(secret) } : undefined;
  }

  /** Comes back to this page. */
  function signInFirst(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const query = new URLSearchParams({ return_to: request.url });
    return reply
      .code(303)
      .header("location", `${addressOf(request)}/sign_in?${query}`)
      .send();
  }
}

function queryField({ query }: FastifyRequest, name: string): string | undefined {
  const value = isObject(query) ? own(query, name) : undefined;
  return typeof value === "string" ? value : undefined;
}

/** The place where a command line listens, as the browser has it; undefined where it shows a code. */
function listeningIn(field: (name: string) => string | undefined): Listening | undefined {
  const [challenge, state, port] = [field("challenge"), field("state"), Number(field("port"))];
  if (challenge === undefined) return undefined;
  const isPort = Number.isInteger(port) && port >= 1024 && port <= 65_535;
  if (CHALLENGE.test(challenge) && state !== undefined && STATE.test(state) && isPort)
    return { challenge, state, port };
  throw new RequestError("invalid_query", "This is not an address of tunnelplane login: begin again there");
}

/** The user of a session, with what its identity provider said of it. */
async function grantOf({ store }: ServerContext, { keyId, ownerId }: Caller): Promise<Grant> {
  const row = await store.reader
    .selectFrom("session")
    .select("claims")
    .where("id", "=", keyId)
    .executeTakeFirst();
  return { userId: ownerId, claims: row?.claims ?? "{}" };
}

function registerKeys(
  scripts: FastifyInstance,
  { context, apiKeys, gate, limits, addressOf }: ForPeople,
): void {
  gate.guard(scripts, { counts: "sign_ins" });
  refuseOtherMethods(scripts, [deviceOperation, loginKeyOperation]);

  scripts.post(deviceOperation.path, async (request, reply) => {
    const isFirst = await limits.admitDevice(request);
    const { deviceCode, userCode } = await context.store.write((transaction) =>
      beginDevice(transaction, isFirst),
    );
    return reply.type(JSON_TYPE).send(
      JSON.stringify({
        device_code: deviceCode,
        user_code: `${userCode.slice(0, 4)}-${userCode.slice(4)}`,
        verification_uri: addressOf(request) + PAGE,
        expires_in: DEVICE_MS / 1000,
      }),
    );
  });

  scripts.post(loginKeyOperation.path, async (request, reply) => {
    const { code, code_verifier: verifier } = checked(loginKeyRequestShape, objectIn(request.body));
    const brought = { code, verifier };
    const answer = await keyFor(context, brought, request);
    if (answer === undefined) {
      await limits.countUnknown(brought.code, request);
      throw new RequestError(
        "invalid_field",
        "code is not known here: it has ended, or was used already; begin again",
        { field: "code" },
      );
    }
    await apiKeys.forget();
    return reply.type(JSON_TYPE).send(JSON.stringify(answer));
  });
}

const WAITING = { key: null, expires_at: null, user: null, claims: null };

/** The key of a command line that somebody let in. */
const keyFor = (
  context: ServerContext,
  brought: Parameters<typeof redeem>[1],
  { id: operationId, ip }: FastifyRequest,
): Promise<object | undefined> =>
  journaled(context, async (transaction, begunUnder) => {
    const grant = await redeem(transaction, brought);
    if (grant === undefined) return undefined;
    if (grant === "waiting") return WAITING;
    const { id, name, email, active } = await userAt(transaction, context.documents, grant.userId);
    if (!active) throw new RequestError("forbidden", "This user is not active; an admin can activate it");
    const client = callerAddress({ ip });
    const begun = await beginLogin(transaction, { user_id: id, client, claims: grant.claims });
    const keyId = begun.id;
    await context.journal.append(transaction, begunUnder, { ownerId: id, name, keyId, operationId, client }, [
      { action: "signed_in", subject: keyId },
    ]);
    return {
      key: begun.key,
      expires_at: begun.expiresAt,
      user: { id, name, email },
      claims: JSON.parse(grant.claims),
    };
  });
