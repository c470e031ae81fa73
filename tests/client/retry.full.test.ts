import type { IncomingMessage, ServerResponse } from "node:http";
import { ConnectionError, RateLimitError, ServerError, TimeoutError, Tunnelplane } from "@tunnelplane/sdk";
import { expect } from "chai";
import { StandInServer } from "../support/standIn";

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** Answers in turn; the last one for good. Returns what the client did and how many tries it made. */
async function tries(
  answers: Answer[],
  use: (api: Tunnelplane) => Promise<unknown>,
  timeoutMs = 60_000,
): Promise<{ outcome: unknown; count: number }> {
  let count = 0;
  const server = await StandInServer.start((request, response) => {
    request.resume();
    request.on("end", () => answers[Math.min(count++, answers.length - 1)]?.(request, response));
  });
  const api = new Tunnelplane({ baseUrl: server.url, apiKey: "x", timeoutMs });
  try {
    const outcome = await use(api).catch((error: unknown) => error);
    return { outcome, count };
  } finally {
    server.stop();
  }
}

const refuse =
  (status: number, headers: Record<string, string> = {}): Answer =>
  (_request, response) => {
    const body = {
      error_code: "TP_1801",
      status_code: status,
      msg: "not now",
      details: { operation_id: "op_1" },
    };
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
  };
const accept: Answer = (_request, response) =>
  response.writeHead(200, { "content-type": "application/json" }).end('{"id":"ipp_1"}');
const hangUp: Answer = (request) => request.socket.destroy();
const staySilent: Answer = () => undefined;

describe("The client tries again", () => {
  for (const status of [429, 503]) {
    it(`any request that the server answers with ${status} and Retry-After, because nothing was done`, async () => {
      const { outcome, count } = await tries([refuse(status, { "retry-after": "0" }), accept], (api) =>
        api.ipPolicies.create({}),
      );
      expect(outcome).to.deep.equal({ id: "ipp_1" });
      expect(count).to.equal(2);
    });
  }

  it("if the connection breaks during a request that may be repeated", async () => {
    const { outcome, count } = await tries([hangUp, accept], (api) => api.ipPolicies.get("ipp_1"));
    expect(outcome).to.deep.equal({ id: "ipp_1" });
    expect(count).to.equal(2);
  });

  it("if the connection breaks during a creation, with the same idempotency key", async () => {
    const keys: unknown[] = [];
    const noting =
      (answer: Answer): Answer =>
      (request, response) => {
        keys.push(request.headers["idempotency-key"]);
        answer(request, response);
      };
    const { outcome } = await tries([noting(hangUp), noting(accept)], (api) => api.ipPolicies.create({}));
    expect(outcome).to.deep.equal({ id: "ipp_1" });
    expect(keys).to.have.length(2);
    expect(keys[0]).to.be.a("string").and.equal(keys[1]);
  });

  it("if the server fails during a creation, so that its outcome is unknown", async () => {
    const { outcome, count } = await tries([refuse(500), accept], (api) => api.ipPolicies.create({}));
    expect(outcome).to.deep.equal({ id: "ipp_1" });
    expect(count).to.equal(2);
  });

  it("once, if the server does not answer a request that may be repeated", async () => {
    const { outcome, count } = await tries([staySilent], (api) => api.ipPolicies.create({}), 1_000);
    expect(outcome).to.be.instanceOf(TimeoutError);
    expect(String(outcome)).to.contain("did not answer within 1 s");
    expect(count).to.equal(2);
  });

  it("but no more than three times", async () => {
    const refused = await tries([refuse(429, { "retry-after": "0" })], (api) => api.ipPolicies.get("ipp_1"));
    expect(refused.outcome).to.be.instanceOf(RateLimitError);
    const broken = await tries([hangUp], (api) => api.ipPolicies.get("ipp_1"));
    expect(broken.outcome).to.be.instanceOf(ConnectionError);
    expect([refused.count, broken.count]).to.deep.equal([4, 4]);
  });
});

describe("The client does not try again", () => {
  it("if the connection breaks during a change that must not be made twice", async () => {
    const { outcome, count } = await tries([hangUp, accept], (api) => api.ipPolicies.update("ipp_1", {}));
    expect(outcome).to.be.instanceOf(ConnectionError);
    expect(count).to.equal(1);
  });

  it("if a refusal has no Retry-After", async () => {
    const { outcome, count } = await tries([refuse(503), accept], (api) => api.ipPolicies.get("ipp_1"));
    expect(outcome).to.be.instanceOf(ServerError);
    expect(count).to.equal(1);
  });

  it("if the server fails during another change", async () => {
    const { outcome, count } = await tries([refuse(500), accept], (api) => api.ipPolicies.get("ipp_1"));
    expect(outcome).to.be.instanceOf(ServerError);
    expect(count).to.equal(1);
  });

  it("if the server does not answer a change in time; the error says that the outcome is unknown", async () => {
    const { outcome, count } = await tries([staySilent], (api) => api.ipPolicies.update("ipp_1", {}), 1_000);
    expect(outcome).to.be.instanceOf(TimeoutError);
    expect(String(outcome)).to.contain("did not answer within 1 s");
    expect(count).to.equal(1);
  });
});

describe("A client with patience", () => {
  const patience = { ms: 3_000 };
  const busy = refuse(429, { "retry-after": "0" });

  /** Sends requests at once to a server that refuses as many as it is asked to, and then accepts all. */
  async function whileBusy(
    refusals: number,
    requests: number,
  ): Promise<{ outcomes: unknown[]; order: string[] }> {
    const order: string[] = [];
    let left = refusals;
    const server = await StandInServer.start((request, response) => {
      order.push(request.url ?? "");
      request.resume().on("end", () => (left-- > 0 ? busy : accept)(request, response));
    });
    const api = new Tunnelplane({ baseUrl: server.url, apiKey: "x", patience, connections: 1 });
    try {
      const outcomes = await Promise.all(
        Array.from({ length: requests }, (_, n) => api.ipPolicies.get(`ipp_${n}`).catch((error) => error)),
      );
      return { outcomes, order };
    } finally {
      server.stop();
    }
  }

  it("does as often as a server asks, and gives up when it has waited for as long as it may", async () => {
    expect((await whileBusy(8, 1)).outcomes).to.deep.equal([{ id: "ipp_1" }]);
    const { outcomes, order } = await whileBusy(1_000, 1);
    expect(outcomes[0]).to.be.instanceOf(RateLimitError);
    expect(order).to.have.length(1 + patience.ms / 200);
  });

  it("sends its requests one after the other while a server asks it to wait, in their order", async () => {
    const { outcomes, order } = await whileBusy(5, 4);
    expect(outcomes).to.deep.equal(new Array(4).fill({ id: "ipp_1" }));
    const served = order.slice(-4);
    expect(served).to.deep.equal([0, 1, 2, 3].map((n) => `/ip_policies/ipp_${n}`));
  });
});
