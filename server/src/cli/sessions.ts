import { type TunnelSession, TunnelSessions } from "@tunnelplane/sdk";
import { Command } from "commander";
import { type ApiOptions, gather, throughApi, withApiOptions } from "./api";
import { withExamples } from "./examples";
import { type OutputOptions, oneLine, outputOption, print } from "./output";

/** `tunnelplane sessions` */
export function sessionsCommand(): Command {
  const command = new Command("sessions")
    .description(
      "List the agents that are connected and have bound something, newest first, through a server's API",
    )
    .addOption(outputOption("the sessions as the API answers them"));
  withApiOptions(command).action((options: ApiOptions & OutputOptions) =>
    throughApi(options, async (transport) => {
      const { items } = await gather(new TunnelSessions(transport).list());
      print(items, options, () =>
        items.length > 0
          ? items.map((one) => oneLine(lineOf(one)))
          : ["No agent is connected that you may see."],
      );
    }),
  );
  command.addCommand(
    endCommand("stop", "End a session, and keep its credential out from its address for 60 s", "Stopped"),
  );
  command.addCommand(
    endCommand("restart", "Hang up on an agent, so that one under a supervisor connects again", "Restarted"),
  );
  return withExamples(
    command,
    ["tunnelplane sessions", "all that you may see"],
    ["tunnelplane sessions stop ts_0ERWdYmHciyPtBdiFM2OsTqjQue", "end one of them"],
  );
}

/** `tunnelplane sessions stop <id>` and `tunnelplane sessions restart <id>` */
function endCommand(verb: "stop" | "restart", description: string, done: string): Command {
  const command = new Command(verb).description(description).argument("<id>", "the session");
  // Commander takes its options for those of `sessions`, which are the same.
  withApiOptions(command).action((id: string, _options: unknown, self: Command) =>
    throughApi(self.optsWithGlobals<ApiOptions>(), async (transport) => {
      await new TunnelSessions(transport)[verb](id);
      console.log(`${done} the session ${id}.`);
    }),
  );
  return withExamples(command, [
    `tunnelplane sessions ${verb} ts_0ERWdYmHciyPtBdiFM2OsTqjQue`,
    verb === "stop" ? "its agent may come back in 60 s" : "after its configuration changed",
  ]);
}

const lineOf = ({ id, credential, ip, started_at, agent_version }: TunnelSession): string =>
  `${id} of ${credential.id} from ${ip} since ${started_at} client ${agent_version || "-"}`;
