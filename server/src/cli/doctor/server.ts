import { connect } from "node:tls";
import { callerOf, type Transport } from "@tunnelplane/sdk";
import { counted, messageOf, registry } from "@tunnelplane/sdk/contract";
import { objectsOf } from "../look/objects";
import { type Found, ok, untilEnd, warning, wrong } from "./check";

const TIMEOUT_MS = 10_000;
/** A clock that is further off breaks certificates and times in answers. */
const CLOCK_WRONG_S = 60;
const CLOCK_OFF_S = 5;
/** The limit of certificates of each kind to check. */
const MAX_CERTIFICATES = 1_000;

/** Whether a server answers, what time it has, and whether its database answers. */
export async function serverChecks(url: string): Promise<Found[]> {
  let lives: Response;
  try {
    lives = await ask(`${url}/livez`);
    if (!lives.ok) throw new Error(`status ${lives.status}`);
  } catch (error) {
    return [
      wrong(
        "server",
        `${url} does not answer (${reasonOf(error)})`,
        "start it with: tunnelplane serve; or name another with --url",
      ),
    ];
  }
  return [ok("server", `${url} answers`), clockCheck(lives.headers.get("date")), await databaseCheck(url)];
}

const ask = (url: string): Promise<Response> =>
  fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS), headers: { "service-version": "2" } });

const reasonOf = (error: unknown): string => {
  const { message, cause } = error as Error & { cause?: { code?: string; message?: string } };
  return cause?.code ?? cause?.message ?? message;
};

function clockCheck(date: string | null): Found {
  const off = date === null ? Number.NaN : Math.abs(Date.parse(date) - Date.now()) / 1000;
  if (Number.isNaN(off))
    return warning("clock", "the server's answer has no header Date", "check whether a proxy removes it");
  const cure = "have both machines set their clocks by NTP";
  if (off > CLOCK_WRONG_S)
    return wrong("clock", `this machine and the server differ by ${Math.round(off)} s`, cure);
  if (off > CLOCK_OFF_S)
    return warning("clock", `this machine and the server differ by ${Math.round(off)} s`, cure);
  return ok("clock", "this machine and the server have the same time");
}

async function databaseCheck(url: string): Promise<Found> {
  const { ok: isReady, status } = await ask(`${url}/readyz`);
  return isReady
    ? ok("database", "the server reaches its database")
    : wrong(
        "database",
        `the server does not reach its database (status ${status})`,
        "look into the server's log",
      );
}

/** The owner of the key, and when it expires. */
export async function keyCheck(transport: Transport): Promise<Found> {
  try {
    const { name, role, expires_at: end } = await callerOf(transport);
    const whose = `the key of ${name} (${role})`;
    return end === null
      ? ok("key", `${whose}, which does not expire`)
      : untilEnd("key", whose, new Date(end), "make a new one: POST /api_keys");
  } catch (error) {
    return wrong(
      "key",
      messageOf(error),
      "set TUNNELPLANE_API_KEY; a lost admin key is replaced with: tunnelplane keys recover",
    );
  }
}

/** When the server's own certificate ends, if it speaks TLS. */
export function tlsCheck(url: string): Promise<Found> {
  const { protocol, hostname, port } = new URL(url);
  if (protocol !== "https:")
    return Promise.resolve(ok("certificates", "the server speaks plain HTTP: it has none"));
  return new Promise((resolve) => {
    const answer = (found: Found) => {
      socket.destroy();
      resolve(found);
    };
    // This check reads the certificate even if nobody trusts its issuer. Other checks test the trust.
    const socket = connect(
      {
        host: hostname,
        port: Number(port || 443),
        servername: hostname,
        rejectUnauthorized: false,
        timeout: TIMEOUT_MS,
      },
      () => {
        const { valid_to: end } = socket.getPeerCertificate();
        answer(
          untilEnd(
            "certificates",
            "the server's certificate",
            new Date(end),
            "renew it, and send the server SIGHUP",
          ),
        );
      },
    );
    socket.once("timeout", () =>
      answer(wrong("certificates", "the server does not speak TLS in time", "look into its log")),
    );
    socket.once("error", ({ message }) =>
      answer(wrong("certificates", message, "look into the server's log")),
    );
  });
}

/** Stored certificates that ended or soon will: kinds with a field `not_after` say so. */
export async function storedCertificates(transport: Transport): Promise<Found[]> {
  const found: Found[] = [];
  for (const definition of registry.filter(({ computed }) => "not_after" in computed)) {
    const soon: Found[] = [];
    let count = 0;
    for await (const { id, not_after: end } of objectsOf(transport, definition)) {
      if (count++ === MAX_CERTIFICATES) break;
      const certificate = untilEnd(
        "certificates",
        `${definition.title} ${id}`,
        new Date(String(end)),
        "add its successor, and refer to both meanwhile",
      );
      if (certificate.state !== "ok") soon.push(certificate);
    }
    found.push(
      ...(soon.length > 0
        ? soon
        : [ok("certificates", `${counted(count, definition.title)}, none ends soon`)]),
    );
  }
  return found;
}
