import type { IncomingMessage } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { Webhook } from "standardwebhooks";
import { type Json, serverOfThisFile } from "../support/api/expect";
import { onEveryDatabase } from "../support/databases";
import { StandInServer } from "../support/standIn";

onEveryDatabase("A webhook that a subscription names", (start) => {
  const server = serverOfThisFile(() => start({ args: ["--allow-private-targets"] }));
  const received: { headers: IncomingMessage["headers"]; body: string }[] = [];
  let statusFor: (event: Json) => number = () => 204;
  let url: string;

  before("start a service", async () => {
    const standIn = await StandInServer.start(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const body = Buffer.concat(chunks).toString();
      const status = statusFor(JSON.parse(body));
      if (status < 300) received.push({ headers: request.headers, body });
      response.writeHead(status).end("not this one");
    });
    ({ url } = standIn);
  });

  const until = async <T>(read: () => Promise<T>, done: (value: T) => boolean): Promise<T> => {
    for (;;) {
      const value = await read();
      if (done(value)) return value;
      await sleep(20);
    }
  };

  it("gets signed events; one that it refuses is a dead letter, and 410 ends what it gets, with an event", async () => {
    const destination = await server.created("/event_destinations", { target: { webhook: { url } } });
    const watch = await server.created("/event_subscriptions", {
      sources: [{ type: "ip_policy_created.v0" }],
      destination_ids: [destination.id],
    });
    const make = async (description: string) => server.created("/ip_policies", { description });
    statusFor = ({ object }) => ((object as Json).description === "bad" ? 400 : 204);
    const [, bad] = [await make("one"), await make("bad"), await make("two")];
    await until(
      async () => received.length,
      (count) => count === 2,
    );
    for (const { headers, body } of received)
      new Webhook(destination.target.webhook.secret).verify(body, headers as Record<string, string>);
    const deadLetters = async () =>
      (await server.read(`${destination.uri}/deliveries?status=dead`)).deliveries as Json[];
    const [dead] = await until(deadLetters, (list) => list.length === 1);
    expect(dead).to.deep.include({ object_id: bad?.id, attempts: 1 });
    expect(JSON.stringify(dead)).to.contain("refused with status 400: not this one");

    statusFor = () => 410;
    await make("three");
    const left = await until(
      async () => server.read(watch.uri),
      ({ destinations }) => destinations.length === 0,
    );
    expect(left.sources).to.deep.equal(watch.sources);
    const { events } = await server.read(`/events?object_id=${watch.id}&limit=1`);
    expect(events[0]).to.deep.include({ event_type: "event_subscription_updated.v0" });
    expect(events[0].principal.source).to.equal("SERVER");
    expect(await deadLetters()).to.have.length(2);
    statusFor = () => 204;
    await server.rest.patch(watch.uri, { destination_ids: [destination.id] });
    await make("four");
    await until(
      async () => received.length,
      (count) => count === 3,
    );
  });
});
