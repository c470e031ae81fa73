import { present } from "@tunnelplane/sdk/contract";
import { Argument, Command } from "commander";
import { withExamples } from "./examples";
import { KIND_NAMES } from "./look";

const SHELLS = ["bash", "zsh", "fish"] as const;
type Shell = (typeof SHELLS)[number];

interface Word {
  readonly word: string;
  readonly what: string;
}

/** The words that may follow a command. */
interface Entry {
  /** The words before: "" for the program, "keys rotate" for a command within another. */
  readonly path: string;
  /** Its commands, and known values of its first argument. */
  readonly words: readonly Word[];
  readonly options: readonly OptionWord[];
}

interface OptionWord extends Word {
  readonly short: string | undefined;
  /** The values that may follow it; empty if they are not known, undefined if it takes none. */
  readonly values: readonly string[] | undefined;
}

/** `tunnelplane completion <shell>` */
export function completionCommand(): Command {
  const command = new Command("completion")
    .description("Print a script with which a shell completes commands, options and kinds")
    .addArgument(new Argument("<shell>", "the shell").choices(SHELLS))
    .action((shell: Shell, _options: unknown, self: Command) => {
      console.log(SCRIPTS[shell](entriesOf(present(self.parent))));
    });
  return withExamples(
    command,
    ["source <(tunnelplane completion bash)", "bash, for this shell; in ~/.bashrc, for all"],
    ["tunnelplane completion zsh > ~/.zfunc/_tunnelplane", "zsh, with ~/.zfunc in fpath"],
    ["tunnelplane completion fish > ~/.config/fish/completions/tunnelplane.fish", "fish"],
  );
}

function entriesOf(command: Command, path: readonly string[] = []): Entry[] {
  const commands = command.commands.map((one) => ({ word: one.name(), what: one.description() }));
  const options = command.options.flatMap(
    ({ long, short, description: what, argChoices: values = [], required, optional }) =>
      long ? [{ word: long, short, what, values: required || optional ? values : undefined }] : [],
  );
  const [argument] = command.registeredArguments;
  const values = argument?.argChoices ?? (/kind/.test(argument?.name() ?? "") ? KIND_NAMES : []);
  const entry: Entry = {
    path: path.join(" "),
    words: [...commands, ...values.map((word) => ({ word, what: "" }))],
    options: [...options, { word: "--help", short: "-h", what: "show help", values: undefined }],
  };
  return [entry, ...command.commands.flatMap((one) => entriesOf(one, [...path, one.name()]))];
}

const wordsAt = ({ words, options }: Entry): readonly Word[] => [...words, ...options];

/** Lines of a `case` on the command and the word before, which is an option that takes a value. */
const valueCases = (entries: readonly Entry[], line: (values: readonly string[]) => string): string =>
  entries
    .flatMap(({ path, options }) =>
      options.flatMap(({ word, short, values }) =>
        values
          ? [
              `    ${[word, ...(short ? [short] : [])].map((flag) => `"${path} ${flag}"`).join("|")}) ${line(values)} ;;`,
            ]
          : [],
      ),
    )
    .join("\n");

const plain = (text: string): string => text.replaceAll(/['":[\]\\`$]/g, "");

const SCRIPTS: Readonly<Record<Shell, (entries: readonly Entry[]) => string>> = {
  bash: (entries) => `# bash completion of tunnelplane
_tunnelplane() {
  local path="" word words before="\${COMP_WORDS[COMP_CWORD-1]}" typed="\${COMP_WORDS[COMP_CWORD]}"
  # Bash takes the = of --option=value for a word.
  if [ "$typed" = "=" ]; then typed=""; elif [ "$before" = "=" ]; then before="\${COMP_WORDS[COMP_CWORD-2]}"; fi
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$path $word" in
${entries
  .filter(({ path }) => path)
  .map(
    ({ path }) =>
      `      " ${path}"|"${path.split(" ").slice(0, -1).join(" ")} ${path.split(" ").at(-1)}") path="${path}" ;;`,
  )
  .join("\n")}
    esac
  done
  case "$path" in
${entries
  .map(
    (entry) =>
      `    "${entry.path}") words="${wordsAt(entry)
        .map(({ word }) => word)
        .join(" ")}" ;;`,
  )
  .join("\n")}
  esac
  case "$path $before" in
${valueCases(entries, (values) => `words="${values.join(" ")}"`)}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$typed"))
}
complete -o default -F _tunnelplane tunnelplane`,

  zsh: (entries) => `#compdef tunnelplane
_tunnelplane() {
  local entry="" word before="\${words[CURRENT-1]}"
  if [[ "\${words[CURRENT]}" == --*=* ]]; then
    before="\${words[CURRENT]%%=*}"
    compset -P '*='
  fi
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$entry $word" in
${entries
  .filter(({ path }) => path)
  .map(({ path }) => `      "${path.includes(" ") ? path : ` ${path}`}") entry="${path}" ;;`)
  .join("\n")}
    esac
  done
  local -a known
  case "$entry" in
${entries
  .map(
    (entry) =>
      `    "${entry.path}") known=(${wordsAt(entry)
        .map(({ word, what }) => `'${word}${what ? `:${plain(what)}` : ""}'`)
        .join(" ")}) ;;`,
  )
  .join("\n")}
  esac
  case "$entry $before" in
${valueCases(entries, (values) => `known=(${values.join(" ")})`)}
  esac
  _describe 'tunnelplane' known || _files
}
compdef _tunnelplane tunnelplane`,

  fish: (entries) =>
    [
      "# fish completion of tunnelplane",
      ...entries.flatMap(({ path, words, options }) => {
        const inner = entries.filter(
          (other) => other.path.startsWith(path === "" ? "" : `${path} `) && other.path !== path,
        );
        const next = inner.map((other) => other.path.slice(path.length).trim().split(" ")[0]);
        const seen = path === "" ? [] : path.split(" ").map((word) => `__fish_seen_subcommand_from ${word}`);
        const unseen =
          next.length > 0 ? [`not __fish_seen_subcommand_from ${[...new Set(next)].join(" ")}`] : [];
        const condition = [...seen, ...unseen].join("; and ");
        const line = (given: string, what: string) =>
          `complete -c tunnelplane${condition ? ` -n '${condition}'` : ""} ${given}${what ? ` -d '${plain(what)}'` : ""}`;
        return [
          ...words.map(({ word, what }) => line(`-f -a ${word}`, what)),
          ...options.map(({ word, short, what, values }) => {
            const value = values && (values.length > 0 ? ` -x -a '${values.join(" ")}'` : " -r");
            return line(`${short ? `-s ${short.slice(1)} ` : ""}-l ${word.slice(2)}${value ?? ""}`, what);
          }),
        ];
      }),
    ].join("\n"),
};
