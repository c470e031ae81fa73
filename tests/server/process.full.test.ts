import { refusalToServe } from "../support/commandLine";
import { onOneDatabase, untilTestEnds } from "../support/databases";

onOneDatabase("A server process", (startServer, database) => {
  const start = untilTestEnds(startServer);

  it("refuses at its start what cannot be right: endpoints, a key that could be guessed, an address; in one line", async () => {
    const refusal = async (env: Record<string, string>, ...args: string[]) =>
      refusalToServe(await database.create(), { env, args });
    for (const [wrong, reason] of [
      ["carrier_pigeon=https://example.com", /one of stream_service/],
      ["sts", /<service>=<url>/],
      ["sts=ftp://example.com", /http or https/],
      ["sts=https://me:secret@example.com", /without user name/],
      ["sts=https://one.example.com,sts=https://two.example.com", /set twice/],
    ] as const)
      expect(await refusal({ TUNNELPLANE_EVENT_ENDPOINTS: wrong }), wrong)
        .to.match(reason)
        .and.not.to.contain("secret");
    expect(await refusal({ TUNNELPLANE_BOOTSTRAP_API_KEY: "short" })).to.contain(
      "TUNNELPLANE_BOOTSTRAP_API_KEY must have at least 16 characters",
    );
    expect(await refusal({}, "--listen", "nonsense")).to.contain('expected "<host>:<port>"');
    const { url } = await start();
    const taken = await start({ listen: new URL(url).host }).catch(String);
    expect(taken)
      .to.contain("another server listens there")
      .and.not.to.match(/\n\s+at /);
  });

  it("answers /livez and /readyz without a key, and logs each request in one line of JSON, with an operation id and without a secret", async () => {
    const server = await start();
    for (const path of ["/livez", "/readyz"]) {
      const response = await fetch(server.url + path);
      expect([response.status, await response.json()]).to.deep.equal([200, { status: "ok" }]);
    }
    const named = { "x-request-id": "my-request" };
    await server.rest.post("/credentials?token=in-the-query", {}, named);
    await server.stop();
    const lines = server.log.trim().split("\n");
    const [line, ...others] = lines
      .map((text) => JSON.parse(text))
      .filter(({ operation_id }) => operation_id === "my-request");
    expect(others).to.deep.equal([]);
    expect(line).to.include({ method: "POST", path: "/credentials", status: 400, msg: "request" });
    expect(server.log).not.to.contain(server.apiKey).and.not.to.contain("in-the-query");
  });
});
