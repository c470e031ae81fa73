import { rmSync } from "node:fs";
import { saveLogin } from "@tunnelplane/sdk";
import { newFolder } from "../support/folder";
import { changesOf, failuresOf, worldOfThisFile } from "../support/provider";
import { everywhere, NAMES } from "../support/providers";
import type { Rest } from "../support/rest";
import { StandInServer } from "../support/standIn";

const NOBODY = { url: "http://127.0.0.1:9", apiKey: "for-nobody" };
const onePolicy = everywhere((name, tunnels) => void new tunnels.IpPolicy(name, { description: name }));
const descriptionsOn = async ({ rest }: { readonly rest: Rest }): Promise<string[]> =>
  (await rest.get("/ip_policies")).body.ip_policies.map(
    ({ description }: { description: string }) => description,
  );

const { world, server } = worldOfThisFile();

describe("The server and key that a program uses", () => {
  it("can be several in one program, each as an account, and a new key changes no resource", async () => {
    const [a, b] = [server, await world.server()];
    let keyOfA = a.apiKey;
    const stack = await world.stack(
      NOBODY,
      everywhere((name, tunnels) => {
        const first = new tunnels.Account(`${name}-a`, { baseUrl: a.url, apiKey: keyOfA });
        const second = new tunnels.Account(`${name}-b`, { baseUrl: b.url, apiKey: b.apiKey });
        new tunnels.IpPolicy(`${name}-on-a`, { description: `${name} a` }, { provider: first });
        new tunnels.IpPolicy(`${name}-on-b`, { description: `${name} b` }, { provider: second });
      }),
    );
    await stack.up();
    expect(await descriptionsOn(a)).to.have.members(NAMES.map((name) => `${name} a`));
    expect(await descriptionsOn(b)).to.have.members(NAMES.map((name) => `${name} b`));
    keyOfA = (await a.rest.post("/api_keys", {})).body.token;
    expect(changesOf(await stack.up())).to.deep.equal([]);
  });

  it("come from the stack's configuration if the environment has none", async () => {
    const stack = await world.stack(server, onePolicy, {
      env: { TUNNELPLANE_BASE_URL: "", TUNNELPLANE_API_KEY: "" },
      config: {
        "tunnelplane:baseUrl": { value: server.url },
        "tunnelplane:apiKey": { value: server.apiKey, secret: true },
      },
    });
    await stack.up();
    expect(await descriptionsOn(server)).to.include.members(NAMES);
  });

  it("come from `tunnelplane login` if there is no key, for the very server that it is for", async () => {
    const folder = newFolder();
    const env = { TUNNELPLANE_API_KEY: "", XDG_CONFIG_HOME: folder };
    const login = {
      key: server.apiKey,
      expires_at: new Date(Date.now() + 3_600_000).toISOString(),
      user: "ann",
    };
    saveLogin(server.url, login, env);
    const stack = await world.stack(server, onePolicy, { env });
    await stack.up();
    expect(await descriptionsOn(server)).to.include.members(NAMES);
    saveLogin("http://127.0.0.1:9", login, env);
    saveLogin(server.url, undefined, env);
    const without = await world.stack(server, onePolicy, { env });
    const asked = await failuresOf(without, () => without.up({ continueOnError: true }));
    for (const name of NAMES)
      expect(asked.get(name))
        .to.contain("There is no API key")
        .and.to.contain("TUNNELPLANE_API_KEY")
        .and.to.contain("tunnelplane login");
    rmSync(folder, { recursive: true });
  });
});

describe("A server that cannot be used", () => {
  /** Where each resource of a program is, and the line with which both providers refuse it in one run. */
  const LINES = {
    nobody:
      "http://127.0.0.1:9 does not answer (connection refused); is the server running? The address comes from TUNNELPLANE_BASE_URL",
    stranger: "refused the API key from TUNNELPLANE_API_KEY",
    page: "but not by a tunnelplane server: check the base URL",
    later: "speaks another version of the API than this package",
  } as const;

  it("is named in one line with what is wrong: nobody listens, it refuses the key, is another server, or speaks another version; and nothing is recorded", async () => {
    const page = await answering(200, "<html>hello</html>");
    const later = await answering(
      400,
      JSON.stringify({
        ...{ error_code: "TP_1006", status_code: 400, msg: "This server speaks version 3" },
        details: { operation_id: "op_1" },
      }),
    );
    const urls: Partial<Record<string, string>> = { stranger: server.url, page: page.url, later: later.url };
    const stack = await world.stack(
      { ...NOBODY, apiKey: "not-the-key" },
      everywhere((name, tunnels) => {
        for (const what of Object.keys(LINES)) {
          const baseUrl = urls[what];
          const provider = baseUrl && new tunnels.Account(`${name}-at-${what}`, { baseUrl });
          new tunnels.IpPolicy(`${name}-${what}`, {}, provider ? { provider } : {});
        }
      }),
    );
    const failures = await failuresOf(stack, () => stack.up({ continueOnError: true }));
    for (const name of NAMES)
      for (const [what, line] of Object.entries(LINES)) {
        const message = failures.get(`${name}-${what}`);
        expect(message, `${name} ${what}`).to.contain(line);
        expect(message, `${name} ${what}: no stack trace`).not.to.match(/\n\s+at /);
      }
    expect(stack.resources(), "nothing half-recorded").to.deep.equal([]);
    expect(stack.pendingOperations(), "nothing pending").to.deep.equal([]);
    for (const standIn of [page, later]) standIn.stop();
  });
});

const answering = (status: number, body: string): Promise<StandInServer> =>
  StandInServer.start((_request, response) => response.writeHead(status).end(body));
