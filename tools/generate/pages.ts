import { join } from "node:path";
import { devCommand, gatewayCommand } from "../../gateway/src/commands";
import { adoptCommand, reviewCommand, secretsCommand } from "../../provider/src/cli";
import { ERRORS } from "../../sdk/src/contract";
import { examplesOf } from "../../server/src/cli/examples";
import { EXIT_CODES } from "../../server/src/cli/failures";
import { program } from "../../server/src/cli/program";
import { SERVE_SETTINGS } from "../../server/src/cli/settings";
import { newCommand } from "../../tunnelplane/src/new";
import { wrapped } from "./wrapped";

type Command = ReturnType<typeof program>;

const FOLLOWS = "This page is generated (`npm run generate`).";
const cell = (text: string): string =>
  text.replaceAll("|", "\\|").replaceAll("<", "&lt;").replaceAll("\n", " ");

/** Pages on what the server and its commands take and answer. */
export const docsPages = (): [string, string][] => [
  ["docs/errors.md", errorsPage()],
  ["docs/settings.md", settingsPage()],
  ["docs/commands.md", commandsPage()],
];

/** Every setting of the server. */
function settingsPage(): string {
  const rows = SERVE_SETTINGS.map(({ flag, env, text, more, default: value, defaultText }) => {
    const usual = defaultText ?? `\`${value}\``;
    const link = more ? ` ([more](${more.replace(/^docs\//, "")}))` : "";
    return `| ${cell(text)}${link} | ${flag ? `\`${flag}\`` : "–"} | \`${env}\` | ${usual} |\n`;
  });
  return `# Settings of the server

Each is a flag of \`tunnelplane serve\` or an environment variable; a flag wins. Put passwords and keys into the
environment, because lists of processes show flags. ${FOLLOWS}

\`--master-key-file\` wins over \`TUNNELPLANE_MASTER_KEY\`, too. In commands on a database (\`backup\`, \`restore\`, \`keys\`,
\`audit\`), \`--data\` wins over \`TUNNELPLANE_DATABASE_URL\`: they work on the folder. \`serve --data\` beside
\`TUNNELPLANE_DATABASE_URL\` serves that PostgreSQL, and names the folder of the master key.

The variables of OpenTelemetry have no flags: \`OTEL_EXPORTER_OTLP_ENDPOINT\` turns on [traces](operations.md#traces).

| Setting | Flag | Environment | Default |
|---|---|---|---|
${rows.join("")}`;
}

/** Every command, with its arguments, options and examples. */
function commandsPage(): string {
  const all = program();
  const others = [
    gatewayCommand(),
    devCommand(() => ({ server: [], gateway: [] })),
    reviewCommand(),
    adoptCommand(),
    secretsCommand(),
    newCommand(join(__dirname, "../../create-tunnelplane"), undefined),
  ];
  for (const command of others) all.addCommand(command);
  return `# Commands

\`tunnelplane\` is the command of the package \`tunnelplane\`; in a project or a clone, \`npx --no tunnelplane\`. \`--help\` after
any command shows the same. ${FOLLOWS} \`gateway\` and \`dev\` are also commands of \`@tunnelplane/gateway\`
(\`tunnelplane-gateway run\`, …), and \`review\`, \`adopt\`, \`ask --preview\` and \`secrets\` of \`@tunnelplane/pulumi\`
(\`tunnelplane-pulumi review\`, …); all others of \`@tunnelplane/server\` (\`tunnelplane-server serve\`, …).

Commands that ask a server take \`--url\` and \`--api-key\`, or \`TUNNELPLANE_BASE_URL\` and \`TUNNELPLANE_API_KEY\`; jobs
of a pipeline may have [an identity](how-to/ci-without-keys.md) in the place of a key, and people
[sign in](how-to/sign-in.md#from-the-command-line). \`--project\` or
\`TUNNELPLANE_PROJECT\` names [a project](how-to/teams.md) there; without it, the server takes that of the key.

Nothing that objects or servers bring can steer a terminal: control characters and marks that turn the direction of text
are written as \`\\u202e\`, in files and pipes too. JSON and YAML hold the same values.

| Exit code | Meaning |
|---|---|
${Object.entries(EXIT_CODES)
  .map(([code, what]) => `| ${code} | ${what} |\n`)
  .join("")}
${all.commands.map((command) => commandSection(command, "tunnelplane", "##")).join("\n")}`;
}

function commandSection(command: Command, parent: string, heading: string): string {
  const name = `${parent} ${command.name()}`;
  const inner = command.commands.map((one) => commandSection(one, name, `${heading}#`)).join("\n");
  const rows = [
    ...command.registeredArguments.map((argument) => [
      argument.required ? `<${argument.name()}>` : `[${argument.name()}]`,
      argument.description,
    ]),
    ...command.options
      .filter(({ long, hidden }) => !hidden && long !== "--url" && long !== "--api-key")
      .map(({ flags, description, argChoices }) => [
        flags,
        argChoices ? `${description} (${argChoices.join(", ")})` : description,
      ]),
  ];
  const table =
    rows.length > 0 && command.name() !== "serve"
      ? `| Argument or option | What it says |\n|---|---|\n${rows.map(([flags = "", text = ""]) => `| \`${flags.replaceAll("|", "\\|")}\` | ${cell(text)} |\n`).join("")}\n`
      : "";
  const examples = examplesOf(command).map(([line, what]) => `${line}    # ${what}\n`);
  // A group that does nothing by itself has no examples of its own.
  const isGroup = command.commands.length > 0 && command.registeredArguments.length === 0;
  const settings = command.name() === "serve" ? "Its flags are the [settings](settings.md).\n\n" : "";
  return `${heading} ${name}

${command.description()}.

${settings}${table}${isGroup ? "" : `\`\`\`sh\n${examples.join("")}\`\`\`\n`}${inner && `\n${inner}`}`;
}

/** Every error of the API, with what to do. */
function errorsPage(): string {
  const sections = Object.values(
    ERRORS as Record<string, { code: string; status: number; when: string; cure?: string }>,
  ).map(
    ({ code, status, when, cure }) => `## ${code}

${wrapped(`HTTP ${status}: ${when}.`)}

${wrapped(cure ?? "The message says what to do.")}
`,
  );
  return `# Errors, and what to do

Every answer with a status of 400 or more is JSON:

\`\`\`json
{"error_code": "TP_1501", "status_code": 409, "msg": "hostports[0] is served by another edge already; …", "details": {"operation_id": "op_…", "field": "hostports[0]"}}
\`\`\`

\`msg\` says what is wrong, what was expected and what to do; \`details.field\` where it stands; the server's log has
\`details.operation_id\`. A refused request changes nothing. \`tunnelplane explain TP_1501\` says the same as this page.
${FOLLOWS}

${sections.join("\n")}`;
}
