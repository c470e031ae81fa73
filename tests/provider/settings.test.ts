import { expect } from "chai";
import { OURS } from "../support/engine";
import { changesOf, failureOf, World } from "../support/provider";
import { type Classes, onEveryProvider } from "../support/providers";
import { StandInServer } from "../support/standIn";

const onePolicyOf = (tunnels: Classes) => async () => void new tunnels.IpPolicy("policy");

onEveryProvider("The server and key that a program uses", (tunnels) => {
  const onePolicy = onePolicyOf(tunnels);
  const world = new World();
  after(() => world.close());

  it("come from the stack's configuration if the environment has none", async () => {
    const server = await world.server();
    const stack = await world.stack(server, onePolicy, {
      env: { TUNNELPLANE_BASE_URL: "", TUNNELPLANE_API_KEY: "" },
      config: {
        "tunnelplane:baseUrl": { value: server.url },
        "tunnelplane:apiKey": { value: server.apiKey, secret: true },
      },
    });
    await stack.up();
    expect((await server.rest.get("/ip_policies")).body.ip_policies).to.have.length(1);
  });

  it("can be several in one program, each as an account, and a new key changes no resource", async () => {
    const [a, b] = [await world.server(), await world.server()];
    let keyOfA = a.apiKey;
    const stack = await world.stack({ url: "http://127.0.0.1:9", apiKey: "for-nobody" }, async () => {
      const first = new tunnels.Account("a", { baseUrl: a.url, apiKey: keyOfA });
      const second = new tunnels.Account("b", { baseUrl: b.url, apiKey: b.apiKey });
      new tunnels.IpPolicy("on-a", { description: "a" }, { provider: first });
      new tunnels.IpPolicy("on-b", { description: "b" }, { provider: second });
    });
    await stack.up();
    const descriptions = async (server: typeof a) =>
      (await server.rest.get("/ip_policies")).body.ip_policies.map(
        (policy: { description: string }) => policy.description,
      );
    expect(await descriptions(a)).to.deep.equal(["a"]);
    expect(await descriptions(b)).to.deep.equal(["b"]);

    keyOfA = (await a.rest.post("/api_keys", {})).body.token;
    expect(changesOf(await stack.up())).to.deep.equal([]);
  });

  it("are asked for in one line if there is no key at all", async () => {
    const stack = await world.stack({ url: "http://127.0.0.1:9", apiKey: "" }, onePolicy);
    expect(await failureOf(stack.up()))
      .to.contain("There is no API key")
      .and.to.contain("TUNNELPLANE_API_KEY");
  });
});

onEveryProvider("A server that cannot be used", (tunnels) => {
  const onePolicy = onePolicyOf(tunnels);
  const world = new World();
  after(() => world.close());

  /** Every step that needs a server says the same, in one line, and records nothing. */
  async function expectOneLine(
    server: { url: string; apiKey: string },
    line: string | RegExp,
  ): Promise<void> {
    const stack = await world.stack(server, onePolicy);
    const message = await failureOf(stack.up());
    if (typeof line === "string") expect(message).to.contain(line);
    else expect(message).to.match(line);
    expect(message, "no stack trace").not.to.match(/\n\s+at /);
    const { deployment } = await stack.exportState();
    const recorded = (deployment.resources ?? [])
      .map(({ type }: { type: string }) => type)
      .filter((type: string) => OURS.test(type));
    expect(recorded, "nothing half-recorded").to.deep.equal([]);
    expect(deployment.pending_operations ?? [], "nothing pending").to.deep.equal([]);
  }

  it("because nothing listens there is named with its address and the source of that address", () =>
    expectOneLine(
      { url: "http://127.0.0.1:9", apiKey: "x" },
      "http://127.0.0.1:9 does not answer (connection refused); is the server running? The address comes from TUNNELPLANE_BASE_URL",
    ));

  it("because the key is wrong leads to an error that names the key's source", async () => {
    const server = await world.server();
    await expectOneLine(
      { url: server.url, apiKey: "not-the-key" },
      `${server.url} refused the API key from TUNNELPLANE_API_KEY`,
    );
  });

  it("because it is no tunnelplane server leads to another error than a server that refuses", async () => {
    await withStandIn(200, "<html>hello</html>", (url) =>
      expectOneLine({ url, apiKey: "x" }, "but not by a tunnelplane server: check the base URL"),
    );
  });

  it("because it speaks another version of the API leads to an error that says so", async () => {
    const refusal = {
      error_code: "TP_1006",
      status_code: 400,
      msg: "This server speaks version 3",
      details: { operation_id: "op_1" },
    };
    await withStandIn(400, JSON.stringify(refusal), (url) =>
      expectOneLine({ url, apiKey: "x" }, "speaks another version of the API than this package"),
    );
  });

  it("makes refresh and destroy fail with the same error, and leaves the state as it was", async () => {
    const server = await world.server();
    const stack = await world.stack(server, async () => {
      for (const name of ["first", "second", "third"]) new tunnels.IpPolicy(name);
    });
    await stack.up();
    const recorded = async () =>
      (await stack.exportState()).deployment.resources.map(
        ({ urn, inputs, outputs }: Record<string, unknown>) => ({
          urn,
          inputs,
          outputs,
        }),
      );
    const before = await recorded();
    await server.stop();
    for (const step of ["refresh", "destroy"] as const) {
      const seen = stack.events.length;
      const message = await failureOf(stack[step]());
      const said = stack.events.slice(seen).map((event) => JSON.parse(event).diagnosticEvent?.message ?? "");
      const sentences = said.filter((text) => text.includes("failed and left the state as it was"));
      expect(sentences, "the sentence about all of them").to.have.length.at.most(1);
      expect(message).to.contain(`${server.url} does not answer (connection refused)`);
      expect(message, "no stack trace").not.to.match(/\n\s+at /);
    }
    expect(await recorded()).to.deep.equal(before);
  });
});

async function withStandIn(status: number, body: string, use: (url: string) => Promise<void>): Promise<void> {
  const standIn = await StandInServer.start((_request, response) => response.writeHead(status).end(body));
  try {
    await use(standIn.url);
  } finally {
    standIn.stop();
  }
}
