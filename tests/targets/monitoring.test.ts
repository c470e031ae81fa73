import type { lookup } from "node:dns";
import type { IncomingMessage, ServerResponse } from "node:http";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { gunzipSync } from "node:zlib";
import { Agent, request } from "undici";
import { openTarget } from "../../server/src/events/targets";
import { publicOnly } from "../../server/src/util/publicOnly";
import { CA, certificate } from "../support/api/fixtures";
import { StandInServer } from "../support/standIn";
import { event, eventOfSize, failureOf, forever, monitoring, sendOnce } from "../support/targets";

const SECRET = "key-of-the-monitoring";

interface Received {
  readonly path: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly logs: Record<string, string>[];
}

/** Stands in for the logs intake, over HTTPS, with the answers that its reference gives. */
describe("The monitoring service", () => {
  const trusted = getCACertificates("default");
  const received: Received[] = [];
  let answer: (response: ServerResponse) => void;
  let standIn: StandInServer;
  let ownAuthority: string;
  let endpoints: { monitoring_service: string };

  before(async () => {
    const own = certificate({ extensions: [CA, "subjectAltName = IP:127.0.0.1"] });
    ownAuthority = own.pem;
    setDefaultCACertificates([...trusted, ownAuthority]);
    standIn = await StandInServer.start(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      received.push({
        path: request.url,
        headers: request.headers,
        logs: JSON.parse(gunzipSync(Buffer.concat(chunks)).toString()),
      });
      answer(response);
    }, own);
    endpoints = { monitoring_service: standIn.url };
  });
  after(() => setDefaultCACertificates(trusted));
  beforeEach(() => {
    received.length = 0;
    answer = (response) => response.writeHead(202).end("{}");
  });

  const refusing = (status: number, headers: Record<string, string> = {}, text = '{"errors":[]}') => {
    answer = (response) => response.writeHead(status, headers).end(text);
    return failureOf(sendOnce(monitoring(), [event()], { endpoints }));
  };

  it("gets events with tags, service, source, host and time, compressed, and with the API key as a header", async () => {
    const batch = [event(), event()];
    expect(await sendOnce(monitoring(), batch, { endpoints })).to.deep.equal([{ ok: true }, { ok: true }]);
    const [{ path, headers, logs }] = received as [Received];
    expect(path).to.equal("/api/v2/logs");
    expect(headers).to.include({
      "dd-api-key": SECRET,
      "content-encoding": "gzip",
      "content-type": "application/json",
    });
    expect(logs.map(({ message }) => message)).to.deep.equal(batch.map(({ body }) => body));
    expect(logs.map(({ timestamp }) => timestamp)).to.deep.equal(batch.map(({ time }) => time));
    for (const log of logs) {
      expect(log).to.include({ ddsource: "tunnelplane", ddtags: "env:test", service: "tunnels" });
      expect(log.hostname).to.be.a("string");
    }
  });

  it("gets events up to the limits of the target, and no log that it would truncate", async () => {
    const target = openTarget(monitoring(), { endpoints });
    const largest = eventOfSize(target, target.limits.recordBytes);
    const larger = eventOfSize(target, target.limits.recordBytes + 1);
    const [first, second] = await target.send([largest, larger], forever());
    expect(first).to.deep.equal({ ok: true });
    expect(second).to.deep.include({ ok: false, permanent: true });
    expect((received[0] as Received).logs).to.have.length(1);
    target.close();
  });

  it("can say with 429 how long to wait, in Retry-After or X-RateLimit-Reset", async () => {
    expect(await refusing(429, { "retry-after": "3" })).to.include({ throttled: true, retryAfterMs: 3000 });
    expect(await refusing(429, { "x-ratelimit-reset": "2" })).to.include({
      throttled: true,
      retryAfterMs: 2000,
    });
    expect(await refusing(429)).to.include({ throttled: true, retryAfterMs: undefined });
  });

  it("is reported as refusing the credentials if it does not know the key, without showing the key", async () => {
    for (const status of [401, 403]) {
      const error = await refusing(status, {}, `unknown key ${SECRET}`);
      expect(error).to.include({ credentials: true, throttled: false });
      expect(error.message).not.to.include(SECRET);
    }
  });

  it("is reported with its own message if it fails, without the key", async () => {
    expect((await refusing(404, {}, `no intake for ${SECRET}`)).message).to.equal(
      "refused with status 404: no intake for …",
    );
    expect(await refusing(500)).to.include({ credentials: false, throttled: false });
  });

  it("is not followed if it redirects", async () => {
    const error = await refusing(307, { location: `${standIn.url}/elsewhere` });
    expect(error.message).to.match(/307/);
    expect(received.map(({ path }) => path)).to.deep.equal(["/api/v2/logs"]);
  });

  it("is given up if its answer does not end", async () => {
    const error = await refusing(500, {}, "x".repeat(1024 * 1024));
    expect(error.message.length).to.be.below(501);
  });

  it("gets nothing if its certificate is not trusted", async () => {
    setDefaultCACertificates(trusted);
    try {
      const error = await failureOf(sendOnce(monitoring(), [event()], { endpoints }));
      expect(error.message).to.match(/certificate/);
      expect(received).to.deep.equal([]);
    } finally {
      setDefaultCACertificates([...trusted, ownAuthority]);
    }
  });
});

describe("A site that a user names", () => {
  it("must be a domain name, even if it was stored before that was checked", () => {
    for (const right of ["", "datadoghq.eu", "https://app.datadoghq.eu/logs", "https://us5.datadoghq.com"])
      openTarget(monitoring({ monitoring_site: right }));
    for (const wrong of [
      "us",
      "a@127.0.0.1",
      "example.com/x",
      "example.com:22",
      "127.0.0.1",
      "[::1]",
      "http://example.com",
    ])
      expect(() => openTarget(monitoring({ monitoring_site: wrong })), wrong).to.throw(/not a domain name/);
  });

  /** Connects to this machine under a name that resolves to the given addresses. */
  const reach = async (host: string, resolved: string[] = []) => {
    let reached = 0;
    const standIn = await StandInServer.start((_, response) => {
      reached++;
      response.end();
    });
    const answers = resolved.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
    const resolve = ((_host: string, _options: object, callback: (error: null, found: object) => void) =>
      callback(null, answers)) as unknown as typeof lookup;
    const agent = new Agent({ connect: publicOnly({}, resolve) });
    const error = await request(`http://${host}:${new URL(standIn.url).port}`, { dispatcher: agent }).catch(
      (reason) => reason,
    );
    await agent.destroy();
    standIn.stop();
    return { reached, message: String(error.message) };
  };

  it("is not connected to if one of its addresses is this machine's", async () => {
    for (const resolved of [["127.0.0.1"], ["8.8.8.8", "127.0.0.1"], ["::ffff:127.0.0.1"]]) {
      const { reached, message } = await reach("intake.example.com", resolved);
      expect(reached).to.equal(0);
      expect(message).to.match(/intake\.example\.com has the address .*--allow-private-targets/);
    }
  });

  it("is not connected to when it is such an address itself", async () => {
    for (const host of ["127.0.0.1", "[::ffff:127.0.0.1]"]) expect((await reach(host)).reached).to.equal(0);
  });
});
