import { Deliveries, type EventDelivery, type Transport } from "@tunnelplane/sdk";
import { nameAndId } from "@tunnelplane/sdk/contract";
import { Command, InvalidArgumentError, Option } from "commander";
import { type ApiOptions, gather, throughApi, withApiOptions } from "./api";
import { withExamples } from "./examples";
import { UsageError } from "./failures";
import { namesOf } from "./look";
import { type OutputOptions, oneLine, outputOption, print } from "./output";
import { wholeNumber } from "./settingOptions";

interface DeliveriesOptions extends ApiOptions, OutputOptions {
  readonly status?: EventDelivery["status"];
  readonly limit: number;
}

interface ReplayOptions extends ApiOptions {
  readonly since?: string;
  readonly deadLetters?: true;
}

/** `tunnelplane events …` */
export function eventsCommand(): Command {
  const events = new Command("events").description("Manage event deliveries, through a server's API");
  for (const command of [deliveriesCommand(), testCommand(), replayCommand()]) events.addCommand(command);
  return withExamples(events, [
    "tunnelplane events test ed_0ERWdYmHciyPtBdiFM2OsTqjQue",
    "send a test event",
  ]);
}

const about = (name: string, description: string, line: string, what: string) =>
  withExamples(
    new Command(name).description(description).argument("<destination>", "the id of the event destination"),
    [line, what],
  );

const deliveriesCommand = () =>
  withApi<DeliveriesOptions>(
    about(
      "deliveries",
      "List deliveries, newest event first",
      "tunnelplane events deliveries ed_0ERWdYmHciyPtBdiFM2OsTqjQue --status dead",
      "dead letters",
    )
      .addOption(
        new Option("--status <status>", "only those of this status").choices([
          "pending",
          "delivered",
          "dead",
        ]),
      )
      .addOption(
        new Option("--limit <count>", "how many at most").default(20).argParser(wholeNumber(1, 1_000_000)),
      )
      .addOption(outputOption("a list of the deliveries as the API answers them")),
    async (deliveries, destination, options, transport) => {
      const { items } = await gather(deliveries.list(destination, options), options.limit);
      const isForPeople = options.output === "table";
      const ids = isForPeople ? items.map(({ object_id }) => object_id) : [];
      const names = await namesOf(transport, ids);
      print(items, options, () => items.map((one) => oneLine(lineOf(one, names.get(one.object_id)))));
    },
  );

const testCommand = () =>
  withApi(
    about(
      "test",
      "Send a test event now; exit code 1 if the service refuses it",
      "tunnelplane events test ed_0ERWdYmHciyPtBdiFM2OsTqjQue",
      "does the service take events?",
    ),
    async (deliveries, destination) => {
      const { ok, error, event_id } = await deliveries.test(destination);
      if (!ok) throw new Error(oneLine(`the test event was not accepted: the service ${error}`));
      console.log(`The service accepted the test event ${event_id}.`);
    },
  );

const replayCommand = () =>
  withApi<ReplayOptions>(
    about(
      "replay",
      "Send events again, with their old ids",
      "tunnelplane events replay ed_0ERWdYmHciyPtBdiFM2OsTqjQue --dead-letters",
      "after the service works again",
    )
      .addOption(
        new Option(
          "--since <time>",
          "events since this time that were delivered or given up (RFC 3339)",
        ).argParser(timeOf),
      )
      .addOption(new Option("--dead-letters", "only the events that were given up").conflicts("since")),
    async (deliveries, destination, { since, deadLetters }) => {
      if (since === undefined && !deadLetters)
        throw new UsageError("say what to send again: --since <time> or --dead-letters");
      const count = await deliveries.replay(
        destination,
        since === undefined ? { dead_letters: true } : { since },
      );
      console.log(`Events that are sent again: ${count}.`);
    },
  );

function withApi<Options extends ApiOptions>(
  command: Command,
  run: (deliveries: Deliveries, destination: string, options: Options, transport: Transport) => Promise<void>,
): Command {
  return withApiOptions(command).action((destination: string, options: Options) =>
    throughApi(options, (transport) => run(new Deliveries(transport), destination, options, transport)),
  );
}

function lineOf(delivery: EventDelivery, name: string | undefined): string {
  const { event_timestamp, status, attempts, event_type, event_id, last_error, due_at } = delivery;
  const object = nameAndId(name, delivery.object_id);
  const next = due_at ? ` next ${due_at}` : "";
  const error = last_error ? ` ${last_error}` : "";
  return `${event_timestamp} ${status.padEnd(9)} ${event_type} ${event_id} ${object} attempts ${attempts}${next}${error}`;
}

function timeOf(text: string): string {
  if (!Number.isNaN(Date.parse(text))) return text;
  throw new InvalidArgumentError('Expected a time such as "2026-01-31T12:00:00Z".');
}
