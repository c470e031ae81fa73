import { oncePer } from "../../contract/core/once";
import { TEXT_TESTS } from "../judgement/rules/condition";
import type { DecisionRequest, Dimension, Predicate, TextQuestion } from "../judgement/types";
import {
  cellsOf,
  HEADER_VALUES,
  type Language,
  METHODS,
  type TextTest,
  TooLarge,
  USER_AGENTS,
} from "../languages";
import type { NetworkSet } from "../networks/networkSet";
import { canonical } from "../values";
import { ANYWHERE, addressesApart } from "./addresses";
import { sessionsApart, tokensApart } from "./tokens";

/**
 * A part of requests that decisions look at. The name is one part: requests ask for the host that they
 * connect to.
 */
export type Part = Exclude<Dimension, "host" | "sni"> | "name" | ConditionPart;

/** The chosen piece of each part, by its number. */
export type Choices = ReadonlyMap<Part, number>;

export type HeaderPart = Extract<Dimension, `header ${string}`>;

/** A condition that stands for the headers in it; see `headerConditions.ts`. */
export type ConditionPart = `condition ${number}`;

/** The fields that one piece of a part puts into a request. */
export type Fragment = Partial<Omit<DecisionRequest, "headers">> & {
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the condition holds, for which this is a piece. */
  readonly holds?: boolean;
  /** All addresses that `from` stands for. */
  readonly networks?: NetworkSet;
};

/** The texts that names and paths can be. */
export interface Texts {
  /** One of the names. */
  readonly name: string;
  readonly names: () => Language;
  readonly port: string;
  /** One of the paths, if that is easy to find. */
  readonly path: string | undefined;
  readonly paths: Language;
}

type On<D extends Dimension> = Extract<Predicate, { dimension: D }>;
type TextPredicate = Extract<Predicate, { op: "any" }>;

/**
 * One fragment for each piece of a part, the most ordinary first.
 * @throws {TooLarge} if tests of texts are too large to decide
 */
export function fragmentsOf(
  part: Exclude<Part, ConditionPart>,
  asked: readonly Predicate[],
  { names, port, paths }: Texts,
): Fragment[] {
  const texts = (language: Language) => textsOf(part, language, asked.filter(isText));
  const on = <D extends Dimension>(dimension: D) =>
    asked.filter((predicate): predicate is On<D> => predicate.dimension === dimension);
  switch (part) {
    case "name":
      return texts(names()).map((name) => ({ address: `${name}:${port}` }));
    case "path":
      return texts(paths).map((path) => ({ path }));
    case "method":
      return texts(METHODS).map((method) => ({ method }));
    case "from":
      return asked.length === 0
        ? [{ from: ANYWHERE }]
        : addressesApart(on("from").map(({ networks }) => networks));
    case "tls":
      return on("tls").some(({ version }) => version !== "1.2")
        ? [{ tls: "1.3" }, { tls: "1.2" }]
        : [{ tls: "1.3" }];
    case "client_certificate":
      return certificates(on("client_certificate"));
    case "token":
      return [
        { token: null },
        { token: "invalid" },
        ...tokensApart(on("token").map(({ by }) => by)).map((token) => ({ token })),
      ];
    case "session":
      return [{ session: null }, ...sessionsApart(on("session")).map((session) => ({ session }))];
    case "webhook":
      return [{ webhook: null }, { webhook: "valid" }];
    default:
      return part === "header user-agent"
        ? texts(USER_AGENTS).map((user_agent) => ({ user_agent: user_agent || null }))
        : texts(HEADER_VALUES).map((value) => ({ headers: value ? { [headerIn(part)]: value } : {} }));
  }
}

export const headerIn = (part: string): string => part.slice("header ".length);

function certificates(asked: readonly On<"client_certificate">[]): Fragment[] {
  const pieces = new Map<string, string>();
  for (const authority of asked.flatMap(({ authorities }) => authorities)) {
    const by = asked.map(({ authorities }) => authorities.includes(authority)).join();
    if (!pieces.has(by)) pieces.set(by, authority);
  }
  return [
    { client_certificate: null },
    ...[...pieces.values(), "other"].map((authority) => ({ client_certificate: { authority } })),
  ];
}

const isText = (predicate: Predicate): predicate is TextPredicate => predicate.op === "any";

/** Few languages are asked for again and again, most often with no test: the methods, for example. */
const wholeOf = oncePer((language: Language) => cellsOf(language, []));

function textsOf(part: Part, language: Language, asked: readonly TextPredicate[]): string[] {
  try {
    const cells = asked.length === 0 ? wholeOf(language) : cellsOf(language, distinct(asked.map(oneOf)));
    return cells.map(({ text }) => text);
  } catch (error) {
    if (!(error instanceof TooLarge)) throw error;
    throw new TooLarge(
      `${named(part)} has tests that are too large to compare: ${culprits(asked)}: ${error.message}`,
    );
  }
}

const distinct = (tests: readonly TextTest[]): TextTest[] => [
  ...new Map(tests.map((test) => [canonical(test), test])).values(),
];

const oneOf = ({ of }: TextPredicate): TextTest => ({ any: of.map(testOf) });

const testOf = ({ op, text }: TextQuestion): TextTest => TEXT_TESTS[op](text);

const named = (part: Part): string =>
  part === "name"
    ? "the host"
    : part.startsWith("header ")
      ? `the header \`${headerIn(part)}\``
      : `the ${part}`;

const MAX_NAMED = 3;

/** The tests that are large: patterns rather than other texts, and the longest first. */
function culprits(asked: readonly TextPredicate[]): string {
  const all = asked.flatMap(({ of }) => of);
  const patterns = all.filter(({ op }) => op === "matches");
  const longest = (patterns.length > 0 ? patterns : all).toSorted((a, b) => b.text.length - a.text.length);
  const texts = longest.slice(0, MAX_NAMED).map(({ op, text }) => `${op} ${JSON.stringify(text)}`);
  return texts.join(", ") + (longest.length > MAX_NAMED ? ` and ${longest.length - MAX_NAMED} more` : "");
}
