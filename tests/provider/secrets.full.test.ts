import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { expect } from "chai";
import { failureOf, World } from "../support/provider";
import { NAMES, PROVIDERS } from "../support/providers";
import { Rest } from "../support/rest";

const CANARY_KEY = "tpk_canary-api-key-1b2c3d4e5f";
/** Of destinations of events and of a sign-in, which the server has to know. */
const CANARY_SECRET = "canary-client-secret-9f8e7d6c5b";
const CANARY_METADATA = "canary-metadata-that-a-program-marked-secret";

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
        const auth = {
          creds: { cloudAccessKeyId: `AKIAPUBLIC${name}`, cloudSecretAccessKey: CANARY_SECRET },
        };
        const streamRef = "arn:aws:kinesis:eu-central-1:123456789012:stream/tunnels";
        const stream = { streamService: { streamRef, auth } };
        const intake = { monitoringService: { apiKey: CANARY_SECRET, service: "tunnels" } };
        for (const [index, target] of [stream, intake].entries())
          new tunnels.EventDestination(`${name}-destination-${index}`, { target });
        const site = new tunnels.HttpsEdge(`${name}-site`);
        new tunnels.HttpsEdgeRoute(`${name}-route`, {
          edgeId: site.id,
          matchType: "path_prefix",
          match: "/",
          oidc: {
            issuer: "https://id.example.com",
            clientId: "site",
            clientSecret: CANARY_SECRET,
            scopes: ["openid"],
          },
        });
        new tunnels.TunnelCredential(`${name}-other`, { description }, { provider: account });
        return [name, { token: agent.token, metadata: agent.metadata }];
      });
      return Object.fromEntries(declared);
    });
    const printed: string[] = [];
    const preview = await stack.preview({ diff: true });
    printed.push(preview.stdout);
    for (const step of ["up", "refresh"] as const) printed.push((await stack[step]()).stdout);
    for (const name of NAMES)
      for (const text of [preview.stdout, stack.stateFile()])
        expect(text, "what is no secret").to.contain(`AKIAPUBLIC${name}`);
    expect(preview.stdout).to.contain("[secret]");
    const stored = (await new Rest(server.url, CANARY_KEY).get("/event_destinations")).text;
    expect(stored.split(CANARY_SECRET)).to.have.length(2 * NAMES.length + 1);
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
    // They are no secret to the server, which has to use or to answer them.
    const mayHoldOthers = (place: string) => place.startsWith("tunnelplane.db");
    for (const [place, text] of Object.entries(places)) {
      expect(text.length, `${place} was searched`).to.be.greaterThan(0);
      expect(text.includes(CANARY_KEY), `API key in ${place}`).to.equal(false);
      for (const [index, token] of tokens.entries())
        expect(text.includes(token), `token of ${NAMES[index]} in ${place}`).to.equal(false);
      if (!mayHoldOthers(place))
        for (const canary of [CANARY_METADATA, CANARY_SECRET])
          expect(text.includes(canary), `secret input in ${place}`).to.equal(false);
    }
    expect(state).to.contain("ciphertext");
  });

  it("stay secret where an object is only read, and where it drifts to another shape", async () => {
    const server = await world.server();
    const role = { role: { roleRef: "arn:aws:iam::123456789012:role/events" } };
    const creds = { creds: { cloudAccessKeyId: "AKIAPUBLIC", cloudSecretAccessKey: CANARY_SECRET } };
    const streamRef = "arn:aws:kinesis:eu-central-1:123456789012:stream/tunnels";
    const wire = {
      intake: { monitoring_service: { api_key: CANARY_SECRET, service: "tunnels" } },
      keys: {
        stream_service: {
          stream_ref: streamRef,
          auth: {
            creds: { cloud_access_key_id: "AKIAPUBLIC", cloud_secret_access_key: CANARY_SECRET },
          },
        },
      },
    };
    const elsewhere = (await server.rest.post("/event_destinations", { target: wire.intake })).body.id;
    const stack = await world.stack(server, async () => {
      const declared = NAMES.flatMap((name) => {
        const { EventDestination } = PROVIDERS[name];
        const target = { streamService: { streamRef, auth: role } };
        if (name === "dynamic") EventDestination.get(`${name}-read`, elsewhere);
        return [
          new EventDestination(`${name}-intake`, { target }).id,
          new EventDestination(`${name}-keys`, { target }).id,
          new EventDestination(`${name}-within`, { target: { streamService: { streamRef, auth: creds } } })
            .id,
        ];
      });
      return { ids: pulumi.all(declared) };
    });
    const printed = [(await stack.up()).stdout];
    for (const [index, id] of (stack.outputs().ids?.value as string[]).entries()) {
      const target = index % 3 === 0 ? wire.intake : wire.keys;
      const { status, text } = await server.rest.patch(`/event_destinations/${id}`, { target });
      expect(status, text).to.equal(200);
    }
    printed.push((await stack.preview({ diff: true, refresh: true })).stdout);
    expect(printed[1]).to.contain("[secret]");
    printed.push((await stack.refresh()).stdout);
    const state = stack.stateFile();
    printed.push((await stack.preview({ diff: true })).stdout, await stack.previewJson());
    for (const text of [state, stack.events.join("\n"), ...printed])
      expect(
        text
          .split(CANARY_SECRET)
          .slice(0, -1)
          .map((before) => before.slice(-200)),
      ).to.deep.equal([]);
    expect(state).to.contain("AKIAPUBLIC");
  });
});
