import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { expect } from "chai";
import { failureOf, World } from "../support/provider";
import { PROVIDERS } from "../support/providers";

const CANARY_KEY = "tpk_canary-api-key-1b2c3d4e5f";
const CANARY_METADATA = "canary-metadata-that-a-program-marked-secret";
const NAMES = Object.keys(PROVIDERS) as (keyof typeof PROVIDERS)[];

describe("Secrets of a program with both providers", () => {
  const world = new World();
  after(() => world.close());

  it("stand nowhere in clear: not in the state, the engine's events, the server's log or database, or an error", async () => {
    const server = await world.server({
      env: { TUNNELPLANE_BOOTSTRAP_API_KEY: CANARY_KEY },
      args: ["--log-level", "debug"],
    });
    let description = "first";
    /** The providers whose resources the program declares. */
    let declaring = NAMES;
    const stack = await world.stack({ url: server.url, apiKey: CANARY_KEY }, async () => {
      const declared = declaring.map((name) => {
        const tunnels = PROVIDERS[name];
        const account = new tunnels.Account(`${name}-account`, { baseUrl: server.url, apiKey: CANARY_KEY });
        const agent = new tunnels.TunnelCredential(`${name}-agent`, {
          description,
          metadata: pulumi.secret(CANARY_METADATA),
        });
        new tunnels.TunnelCredential(`${name}-other`, { description }, { provider: account });
        return [name, { token: agent.token, metadata: agent.metadata }];
      });
      return Object.fromEntries(declared);
    });
    const printed: string[] = [];
    for (const step of ["preview", "up", "refresh"] as const) printed.push((await stack[step]()).stdout);
    description = "second";
    printed.push((await stack.preview({ diff: true })).stdout, (await stack.up()).stdout);
    const outputs = stack.outputs();
    const tokens = NAMES.map((name) => outputs[name]?.value.token as string);
    for (const token of tokens) expect(token).to.match(/^tpt_/);

    await server.rest.request("GET", `/credentials?key=${CANARY_KEY}`, undefined, {
      authorization: `Bearer ${CANARY_KEY}`,
    });
    description = "x".repeat(300);
    for (const name of NAMES) {
      declaring = [name];
      printed.push(await failureOf(stack.up()));
    }
    const state = stack.stateFile();
    const places: Record<string, string> = {
      state,
      events: stack.events.join("\n"),
      printed: printed.join("\n"),
      log: server.log,
    };
    for (const file of readdirSync(server.data))
      places[file] = readFileSync(join(server.data, file), "latin1");
    const mayHoldMetadata = (place: string) => place.startsWith("tunnelplane.db"); // it is no secret to the server, which has to answer it
    for (const [place, text] of Object.entries(places)) {
      expect(text.length, `${place} was searched`).to.be.greaterThan(0);
      expect(text.includes(CANARY_KEY), `API key in ${place}`).to.equal(false);
      for (const [index, token] of tokens.entries())
        expect(text.includes(token), `token of ${NAMES[index]} in ${place}`).to.equal(false);
      if (!mayHoldMetadata(place))
        expect(text.includes(CANARY_METADATA), `secret input in ${place}`).to.equal(false);
    }
    expect(state).to.contain("ciphertext");
  });
});
