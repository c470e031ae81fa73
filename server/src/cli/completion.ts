import { Argument, Command } from "commander";
import { withExamples } from "./examples";
import { KIND_NAMES } from "./look";

const SHELLS = ["bash", "zsh", "fish"] as const;
type Shell = (typeof SHELLS)[number];

/** The words that may follow a command: its commands, its options, and known values of its first argument. */
interface Place {
  /** The words before: "" for the program, "keys rotate" for a command within another. */
  readonly path: string;
  readonly words: readonly { readonly word: string; readonly what: string }[];
}

/** `tunnelplane completion <shell>` */
export function completionCommand(): Command {
  const command = new Command("completion")
    .description("Print a script with which a shell completes commands, options and kinds")
    .addArgument(new Argument("<shell>", "the shell").choices(SHELLS))
    .action((shell: Shell, _options: unknown, self: Command) => {
      console.log(SCRIPTS[shell](placesOf(self.parent as Command)));
    });
  return withExamples(
    command,
    ["source <(tunnelplane completion bash)", "bash, for this shell; in ~/.bashrc, for all"],
    ["tunnelplane completion zsh > ~/.zfunc/_tunnelplane", "zsh, with ~/.zfunc in fpath"],
    ["tunnelplane completion fish > ~/.config/fish/completions/tunnelplane.fish", "fish"],
  );
}

function placesOf(command: Command, path: readonly string[] = []): Place[] {
  const commands = command.commands.map((one) => ({ word: one.name(), what: one.description() }));
  const options = command.options.flatMap(({ long, description }) => (long ? [{ word: long, what: description }] : []));
  const values =
    command.registeredArguments[0]?.argChoices ?? (/kind/.test(command.registeredArguments[0]?.name() ?? "") ? KIND_NAMES : []);
  const words = [...commands, ...values.map((word) => ({ word, what: "" })), ...options, { word: "--help", what: "show help" }];
  return [{ path: path.join(" "), words }, ...command.commands.flatMap((one) => placesOf(one, [...path, one.name()]))];
}

const listed = ({ words }: Place): string => words.map(({ word }) => word).join(" ");
const plain = (text: string): string => text.replaceAll(/['":[\]\\`$]/g, "");

const SCRIPTS: Readonly<Record<Shell, (places: readonly Place[]) => string>> = {
  bash: (places) => `# bash completion of tunnelplane
_tunnelplane() {
  local path="" word words
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$path $word" in
${places
  .filter(({ path }) => path)
  .map(({ path }) => `      " ${path}"|"${path.split(" ").slice(0, -1).join(" ")} ${path.split(" ").at(-1)}") path="${path}" ;;`)
  .join("\n")}
    esac
  done
  case "$path" in
${places.map((place) => `    "${place.path}") words="${listed(place)}" ;;`).join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _tunnelplane tunnelplane`,

  zsh: (places) => `#compdef tunnelplane
_tunnelplane() {
  local place="" word
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$place $word" in
${places
  .filter(({ path }) => path)
  .map(({ path }) => `      "${path.includes(" ") ? path : ` ${path}`}") place="${path}" ;;`)
  .join("\n")}
    esac
  done
  local -a known
  case "$place" in
${places.map(({ path, words }) => `    "${path}") known=(${words.map(({ word, what }) => `'${word}${what ? `:${plain(what)}` : ""}'`).join(" ")}) ;;`).join("\n")}
  esac
  _describe 'tunnelplane' known || _files
}
compdef _tunnelplane tunnelplane`,

  fish: (places) =>
    [
      "# fish completion of tunnelplane",
      ...places.flatMap(({ path, words }) => {
        const inner = places.filter((other) => other.path.startsWith(path === "" ? "" : `${path} `) && other.path !== path);
        const next = inner.map((other) => other.path.slice(path.length).trim().split(" ")[0]);
        const seen = path === "" ? [] : path.split(" ").map((word) => `__fish_seen_subcommand_from ${word}`);
        const unseen = next.length > 0 ? [`not __fish_seen_subcommand_from ${[...new Set(next)].join(" ")}`] : [];
        const condition = [...seen, ...unseen].join("; and ");
        return words.map(({ word, what }) => {
          const option = word.startsWith("--") ? `-l ${word.slice(2)}` : `-f -a ${word}`;
          return `complete -c tunnelplane${condition ? ` -n '${condition}'` : ""} ${option}${what ? ` -d '${plain(what)}'` : ""}`;
        });
      }),
    ].join("\n"),
};
