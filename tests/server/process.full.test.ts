import { request as httpRequest } from "node:http";
import { expect } from "chai";
import { refusalToServe } from "../support/commandLine";
import { onOneDatabase, untilTestEnds } from "../support/databases";
import { Rest } from "../support/rest";

onOneDatabase("A server process", (startServer, database) => {
  const start = untilTestEnds(startServer);

  it("shows the admin's API key on its first start, once, and never again", async () => {
    const data = await database.create();
    const first = await start({ data, env: { TUNNELPLANE_BOOTSTRAP_API_KEY: undefined } });
    const [key = ""] = /tpk_[\w-]{43}/.exec(first.printed) ?? [];
    expect((await new Rest(first.url, key).get("/edges/tls")).status).to.equal(200);
    expect(first.log).not.to.contain(key);
    await first.stop();
    const second = await start({ data, env: { TUNNELPLANE_BOOTSTRAP_API_KEY: undefined } });
    expect(second.printed).not.to.contain("tpk_");
    expect((await new Rest(second.url, key).get("/edges/tls")).status).to.equal(200);
  });

  it("refuses invalid endpoints for events at its start", async () => {
    for (const [wrong, reason] of [
      ["carrier_pigeon=https://example.com", /one of stream_service/],
      ["sts", /<service>=<url>/],
      ["sts=ftp://example.com", /http or https/],
      ["sts=https://me:secret@example.com", /without user name/],
      ["sts=https://one.example.com,sts=https://two.example.com", /set twice/],
    ] as const) {
      const error = await refusalToServe(await database.create(), {
        env: { TUNNELPLANE_EVENT_ENDPOINTS: wrong },
      });
      expect(error, wrong).to.match(reason).and.not.to.contain("secret");
    }
  });

  it("answers with the address from a trusted proxy's headers, if it is a valid one", async () => {
    const server = await start({ args: ["--trust-proxy", "loopback"] });
    const through = (host: string) =>
      new Rest(server.url, server.apiKey).get("/ip_policies?limit=1", { "x-forwarded-host": host });
    expect((await through("tunnels.example.com:8443")).body.uri).to.equal(
      "http://tunnels.example.com:8443/ip_policies",
    );
    for (const host of ['a","x":"b', "a/b", "user@here"])
      expect((await through(host)).body.error_code, host).to.equal("TP_1008");
  });

  it("refuses a bootstrap key that could be guessed", async () => {
    const message = await refusalToServe(await database.create(), {
      env: { TUNNELPLANE_BOOTSTRAP_API_KEY: "short" },
    });
    expect(message).to.contain("TUNNELPLANE_BOOTSTRAP_API_KEY must have at least 16 characters");
  });

  it("says in one line what to do if its address is taken or invalid", async () => {
    const { url } = await start();
    const taken = await start({ listen: new URL(url).host }).catch(String);
    expect(taken)
      .to.contain("another server listens there")
      .and.not.to.match(/\n\s+at /);
    expect(await refusalToServe(await database.create(), { args: ["--listen", "nonsense"] })).to.contain(
      'expected "<host>:<port>"',
    );
  });

  it("keeps everything that it acknowledged when it is killed", async () => {
    const data = await database.create();
    const first = await start({ data });
    const rest = new Rest(first.url, first.apiKey);
    const created = await Promise.all(
      Array.from({ length: 50 }, (_, index) => rest.post("/ip_policies", { description: `${index}` })),
    );
    await first.stop("SIGKILL");
    const second = await start({ data });
    const listed = (await new Rest(second.url, second.apiKey).get("/ip_policies")).body.ip_policies;
    const ids = (objects: { id: string }[]) => objects.map(({ id }) => id).sort();
    expect(ids(listed)).to.deep.equal(ids(created.map(({ body }) => body)));
  });

  it("answers requests in progress before it stops", async () => {
    const server = await start();
    const { hostname, port } = new URL(server.url);
    const headers = {
      authorization: `Bearer ${server.apiKey}`,
      "service-version": "2",
      "content-type": "application/json",
      expect: "100-continue",
    };
    const request = httpRequest({ hostname, port, method: "POST", path: "/ip_policies", headers });
    const status = new Promise<number | undefined>((resolve, reject) =>
      request.on("response", (response) => resolve(response.resume().statusCode)).on("error", reject),
    );
    await new Promise((resolve) => request.on("continue", resolve).flushHeaders());
    const stopped = server.stop();
    request.end('{"description":"late"}');
    expect(await status).to.equal(201);
    expect(await stopped).to.equal(0);
  });

  it("answers /livez and /readyz without a key", async () => {
    const server = await start();
    for (const path of ["/livez", "/readyz"]) {
      const response = await fetch(server.url + path);
      expect(response.status).to.equal(200);
      expect(await response.json()).to.deep.equal({ status: "ok" });
    }
  });

  it("answers with the address that its clients use, or the configured one", async () => {
    const server = await start();
    const { body } = await new Rest(server.url, server.apiKey).post("/ip_policies", {});
    expect(body.uri).to.equal(`${server.url}/ip_policies/${body.id}`);
    const behindProxy = await start({ args: ["--public-url", "https://tunnels.example.com/"] });
    const proxied = (await new Rest(behindProxy.url, behindProxy.apiKey).post("/ip_policies", {})).body;
    expect(proxied.uri).to.equal(`https://tunnels.example.com/ip_policies/${proxied.id}`);
  });

  it("logs each request in one line of JSON, with an operation id and without a secret", async () => {
    const server = await start();
    const answer = await new Rest(server.url, server.apiKey).post(
      "/credentials?token=in-the-query",
      {},
      { "x-request-id": "my-request" },
    );
    expect(answer.headers.get("x-request-id")).to.equal("my-request");
    await server.stop();
    const lines = server.log
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const [line, ...others] = lines.filter(({ operation_id }) => operation_id === "my-request");
    expect(others).to.deep.equal([]);
    expect(line).to.include({ method: "POST", path: "/credentials", status: 400, msg: "request" });
    expect(server.log).not.to.contain(server.apiKey).and.not.to.contain("in-the-query");
  });
});
