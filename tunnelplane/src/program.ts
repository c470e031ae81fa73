import { program as serverProgram } from "@tunnelplane/server/commands";
import { type Command, Option } from "commander";
import { newCommand } from "./new";
import { CREATE, PACKAGES, SELF } from "./place";

/** Commands of the other packages. Their modules take longer to load than those of the server's commands. */
const OTHERS: readonly { readonly names: readonly string[]; load(args: readonly string[]): Command[] }[] = [
  {
    names: ["gateway", "dev"],
    load(args) {
      const { devCommand, gatewayCommand }: typeof import("@tunnelplane/gateway/commands") =
        require("@tunnelplane/gateway/commands");
      const gateway = gatewayCommand(args[0] === "gateway" ? args.slice(1) : undefined);
      return args[0] === "gateway"
        ? [gateway]
        : [gateway, devCommand(() => ({ server: SELF, gateway: [...SELF, "gateway"] }))];
    },
  },
  {
    names: ["review", "adopt", "secrets"],
    load() {
      const { adoptCommand, reviewCommand, secretsCommand }: typeof import("@tunnelplane/pulumi/commands") =
        require("@tunnelplane/pulumi/commands");
      return [
        reviewCommand([process.execPath, ...SELF, "gateway"]),
        adoptCommand(PACKAGES),
        secretsCommand(),
      ];
    },
  },
  { names: ["new"], load: () => [newCommand(CREATE, PACKAGES)] },
];

/** Everything, or what these arguments need. */
export function program(args: readonly string[]): Command {
  const [first = ""] = args;
  const all = serverProgram(NEXT, first).description(
    "A control plane for tunnels: server, gateway, and all commands",
  );
  const ask = all.commands.find((command) => command.name() === "ask");
  ask?.addOption(new Option("--preview <file>", PREVIEW));
  if (first === "ask" && args.some((word) => /^--preview(=|$)/.test(word))) return withPreview(all, ask);
  const isOurs = all.commands.some((command) => command.name() === first && first !== "completion");
  for (const { names, load } of OTHERS)
    if (names.includes(first) || !(isOurs || OTHERS.some((other) => other.names.includes(first))))
      for (const command of load(args)) all.addCommand(command);
  return all;
}

const NEXT = [
  "tunnelplane new my-tunnels                   # a Pulumi project that declares tunnels",
  "tunnelplane apply tunnels.yaml --set prod    # or a YAML catalogue, without Pulumi",
  "tunnelplane gateway --dev-ca --listen 443=127.0.0.1:8443 --ssh-listen 127.0.0.1:2222    # serves them",
];

const PREVIEW =
  "before and after a preview instead: a file with the output of `pulumi preview --json --show-sames`, or -";

/** The same question about a preview has other options. */
function withPreview(all: Command, ask: Command | undefined): Command {
  const {
    askCommand,
  }: typeof import("@tunnelplane/pulumi/commands") = require("@tunnelplane/pulumi/commands");
  (all.commands as Command[]).splice(all.commands.indexOf(ask as Command), 1);
  return all.addCommand(askCommand());
}
