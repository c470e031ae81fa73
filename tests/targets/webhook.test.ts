import type { IncomingMessage, ServerResponse } from "node:http";
import { Webhook } from "standardwebhooks";
import { refusedBeside } from "../support/refusal";
import { StandInServer } from "../support/standIn";
import { event, failureOf, monitoring, sendOnce, webhook } from "../support/targets";

const SECRET = `whsec_${Buffer.alloc(24, "s").toString("base64")}`;

interface Received {
  readonly headers: IncomingMessage["headers"];
  readonly path: string | undefined;
  readonly body: string;
}

describe("A webhook", () => {
  const received: Received[] = [];
  let answer: (response: ServerResponse, got: Received) => void;
  let url: string;

  before(async () => {
    const standIn = await StandInServer.start(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const got = { headers: request.headers, path: request.url, body: Buffer.concat(chunks).toString() };
      received.push(got);
      answer(response, got);
    });
    url = `${standIn.url}/hooks?for=tunnels`;
  });
  beforeEach(() => {
    received.length = 0;
    answer = (response) => response.writeHead(204).end();
  });

  const send = (batch = [event()], fields = {}, options = {}) =>
    sendOnce(webhook(url, { secret: SECRET, ...fields }), batch, { allowPrivate: true, ...options });

  it("gets each event in a request of its own, with the headers that it wants, which Standard Webhooks verifies", async () => {
    const batch = [event(), event({ key: "ipp_2" })];
    const headers = { "X-Team": "shop", Authorization: "Bearer of-the-service" };
    expect(await send(batch, { headers })).to.deep.equal([{ ok: true }, { ok: true }]);
    const bodies = received.map(({ body }) => body);
    expect(bodies).to.have.members(batch.map(({ body }) => body));
    for (const { headers, body, path } of received) {
      expect(new Webhook(SECRET).verify(body, headers as Record<string, string>)).to.deep.equal(
        JSON.parse(body),
      );
      expect(headers["webhook-id"]).to.equal(JSON.parse(body).event_id);
      expect(headers).to.include({ "x-team": "shop", authorization: "Bearer of-the-service" });
      expect(headers["content-type"]).to.equal("application/json");
      expect(path).to.equal("/hooks?for=tunnels");
    }
    const [{ headers: got, body }] = received as [Received];
    const forged = { ...(got as Record<string, string>) };
    expect(() => new Webhook(SECRET).verify(body.replace("{", "{ "), forged)).to.throw(/signature/);
  });

  const RESULTS: readonly [status: number, result: object, headers?: Record<string, string>][] = [
    [400, { error: "refused with status 400: no such field", permanent: true }],
    [413, { error: "refused with status 413: no such field", permanent: true }],
    [401, { error: "refused with status 401: no such field", permanent: false }],
    [500, { error: "refused with status 500: no such field", permanent: false, throttled: false }],
    [429, { throttled: true, retryAfterMs: 3000, permanent: false }, { "retry-after": "3" }],
    [503, { throttled: false, retryAfterMs: 2000, permanent: false }, { "retry-after": "2" }],
  ];
  for (const [status, result, headers] of RESULTS)
    it(`that answers one event with ${status} is told about that one alone`, async () => {
      const [bad, good] = [event(), event()];
      answer = (response, { body }) =>
        body === bad.body
          ? response.writeHead(status, headers).end("no such field")
          : response.writeHead(200).end("x".repeat(1024 * 1024));
      const [first, second] = await send([bad, good]);
      expect(first).to.deep.include({ ok: false, ...result });
      expect(second).to.deep.equal({ ok: true });
    });

  it("is not followed if it redirects", async () => {
    answer = (response) => response.writeHead(308, { location: `${url}/elsewhere` }).end();
    const [sent] = await send();
    expect(sent).to.deep.include({ ok: false, permanent: false });
    expect(sent?.ok === false && sent.error).to.match(/status 308: it points to another address/);
    expect(received).to.have.length(1);
  });

  it("that gives no answer in time fails, and its words are told without its secrets", async () => {
    answer = () => {};
    const { message } = await failureOf(send(undefined, {}, { timeoutMs: 200 }));
    expect(message).to.equal("gave no answer within 0.2 s");
    answer = (response) => response.writeHead(403).end(`wrong key of-the-service, not ${SECRET}`);
    const [refused] = await send(undefined, { headers: { authorization: "of-the-service" } });
    expect(refused).to.deep.include({ error: "refused with status 403: wrong key …, not …" });
  });

  it("is reached through the proxy that the environment names, which private addresses do not get around", async () => {
    const asked: (string | undefined)[] = [];
    const proxy = await StandInServer.start((request, response) => {
      asked.push(request.url);
      request.resume().on("end", () => response.writeHead(204).end());
    });
    const before = { ...process.env };
    const { host } = new URL(proxy.url); // as many write it
    Object.assign(process.env, { HTTP_PROXY: host, http_proxy: "", NO_PROXY: "", no_proxy: "" });
    try {
      expect(await send()).to.deep.equal([{ ok: true }]);
      expect([asked, received.length]).to.deep.equal([[url], 0]);
      const [refused] = await send(undefined, {}, { allowPrivate: false });
      expect(refused?.ok === false && refused.error).to.match(/has the address 127\.0\.0\.1/);
      Object.assign(process.env, { NO_PROXY: "127.0.0.1", no_proxy: "127.0.0.1" });
      expect(await send()).to.deep.equal([{ ok: true }]);
      expect([asked.length, received.length]).to.deep.equal([1, 1]);
      process.env.HTTP_PROXY = "::";
      const thrown = await send().catch(({ message }: Error) => message);
      expect(thrown).to.contain("HTTP_PROXY is not a valid URL");
    } finally {
      for (const name of ["HTTP_PROXY", "http_proxy", "NO_PROXY", "no_proxy"]) {
        delete process.env[name];
        if (before[name] !== undefined) process.env[name] = before[name];
      }
    }
  });

  it("is reached on the internet alone, unless the operator allows others", async () => {
    const result = async (allowPrivate: boolean) => {
      const [sent] = await send(undefined, {}, { allowPrivate });
      return sent?.ok ? 204 : String(sent?.error);
    };
    await refusedBeside({
      refused: () => result(false),
      as: /has the address 127\.0\.0\.1, which is not on the internet/,
      allowed: () => result(true),
    });
    expect(received).to.have.length(1);
  });
});

describe("A service that refuses what is in a request", () => {
  /** Takes as many events at once as fit, and none that holds a word. */
  const picky = async (size: number, words: readonly string[] = []) => {
    let requests = 0;
    const taken: string[] = [];
    const standIn = await StandInServer.start(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      requests++;
      const { gunzipSync } = await import("node:zlib");
      const logs: { message: string }[] = JSON.parse(gunzipSync(Buffer.concat(chunks)).toString());
      const isBad = logs.some(({ message }) => words.some((word) => message.includes(word)));
      if (!isBad && logs.length <= size) taken.push(...logs.map(({ message }) => message));
      response.writeHead(isBad ? 400 : logs.length > size ? 413 : 202).end(isBad ? "a word" : "");
    });
    return { options: { endpoints: { monitoring_service: standIn.url } }, taken, requests: () => requests };
  };
  const many = (count: number) => Array.from({ length: count }, (_, index) => event({ body: `<${index}>` }));

  it("gets the halves of it, in order, until they fit", async () => {
    const { options, taken } = await picky(3);
    const batch = many(10);
    const sent = await sendOnce(monitoring(), batch, options);
    expect(sent.every(({ ok }) => ok)).to.equal(true);
    expect(taken).to.deep.equal(batch.map(({ body }) => body));
  });

  it("holds no other event with the one that it refuses, which is refused for good in its words", async () => {
    const { options, taken } = await picky(100, ["<3>"]);
    const sent = await sendOnce(monitoring(), many(10), options);
    expect(sent.flatMap(({ ok }, index) => (ok ? [] : [index]))).to.deep.equal([3]);
    expect(sent[3]).to.deep.include({ permanent: true, error: "refused with status 400: a word" });
    expect(taken).to.have.length(9);
  });

  it("gets no more than 64 requests for a batch, and nothing twice or out of order", async () => {
    const { options, taken, requests } = await picky(100, ["1>", "3>", "5>"]);
    const sent = await sendOnce(monitoring(), many(100), options);
    expect(requests()).to.be.within(32, 64);
    expect(new Set(taken).size).to.equal(taken.length);
    const open = sent.findIndex((one) => !one.ok && !one.permanent);
    expect(open).to.be.within(1, 99);
    expect(sent.slice(open).some(({ ok }) => ok)).to.equal(false);
  });

  it("is tried again where it refuses who asks, and not what", async () => {
    const closed = await StandInServer.start((request, response) =>
      request.resume().on("end", () => response.writeHead(403).end()),
    );
    const options = { endpoints: { monitoring_service: closed.url } };
    expect(await failureOf(sendOnce(monitoring(), many(2), options))).to.include({ ofContent: false });
  });
});
