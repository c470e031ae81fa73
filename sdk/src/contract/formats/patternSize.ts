/** A Unicode class such as \pL holds hundreds of ranges, so it counts for more than a character; how much more is a choice. */
const UNICODE_CLASS = 20;
/** A group keeps where it begins and ends, and may hold nothing, which takes an instruction too; one that is not kept has the latter only. */
const GROUP = 3;
const GROUP_NOT_KEPT = 1;
/** Every program has its beginning and its end. */
const WHOLE = 2;

/** A sequence that is being read: its whole size, and that of its last part, which a repetition would repeat. */
interface Open {
  size: number;
  last: number;
}

/**
 * How many instructions the program of an RE2 expression has at most, found without making it: counts of repetitions
 * multiply. Takes time with the length of the expression alone. What is no RE2 gets some number; whether it is any is not told.
 */
export function programSize(expression: string): number {
  const groups: Open[] = [];
  let open: Open = { size: WHOLE, last: 0 };
  const add = (size: number) => {
    open.size += size;
    open.last = size;
  };
  const replaceLast = (size: number) => {
    open.size += size - open.last;
    open.last = size;
  };
  const steps: Record<Token["kind"], (token: Token) => void> = {
    open: ({ count }) => {
      groups.push(open);
      open = { size: count, last: 0 };
    },
    close: () => {
      const { size } = open;
      open = groups.pop() ?? { size: WHOLE, last: 0 };
      add(size);
    },
    branch: () => add(2),
    times: ({ count }) => replaceLast(count * open.last),
    // Each time needs an instruction of its own to decide whether there is one more.
    upTo: ({ count }) => replaceLast(count * (open.last + 1)),
    part: ({ count }) => add(count),
  };
  for (const token of tokensOf(expression)) steps[token.kind](token);
  while (groups.length > 0) steps.close({ kind: "close", count: 0 });
  return open.size;
}

interface Token {
  readonly kind: "open" | "close" | "branch" | "times" | "upTo" | "part";
  /** How often it repeats, or how many instructions it takes by itself. */
  readonly count: number;
}

const QUOTED = String.raw`\\Q(?<quoted>(?:(?!\\E)[\s\S])*)(?:\\E)?`;
const UNICODE = String.raw`\\[pP](?:\{[^}]*\}|[\s\S]?)`;
const ESCAPED = String.raw`\\[\s\S]?`;
const SET = String.raw`\[\^?\]?(?:\[:\^?\w+:\]|\\[\s\S]|[^\]\\])*\]?`;
const COUNTED = String.raw`\{(?<least>\d+)(?<range>,(?<most>\d*))?\}\??`;
const TOKEN = () =>
  new RegExp(
    `${QUOTED}|(?<unicode>${UNICODE})|${ESCAPED}|(?<set>${SET})|${COUNTED}|(?<often>[*+?]\\??)|(?<open>\\((?:\\?[^():]*[:>])?)|(?<close>\\))|(?<branch>\\|)|[\\s\\S]`,
    "gu",
  );

function* tokensOf(expression: string): Generator<Token> {
  for (const { groups: found = {} } of expression.matchAll(TOKEN())) {
    const { open, close, branch, often, least, range, most, unicode, set, quoted } = found;
    if (open !== undefined) yield { kind: "open", count: /^\(\?(?!P?<)/.test(open) ? GROUP_NOT_KEPT : GROUP };
    else if (close !== undefined) yield { kind: "close", count: 0 };
    else if (branch !== undefined) yield { kind: "branch", count: 0 };
    else if (often !== undefined) yield { kind: "upTo", count: 1 };
    else if (least !== undefined)
      yield range === undefined ? { kind: "times", count: Math.max(Number(least), 1) } : { kind: "upTo", count: timesOf(least, most) };
    else if (unicode !== undefined) yield { kind: "part", count: UNICODE_CLASS };
    else if (set !== undefined) yield { kind: "part", count: 1 + UNICODE_CLASS * (set.split(/\\p/i).length - 1) };
    else yield { kind: "part", count: quoted?.length ?? 1 };
  }
}

/** One more than the least where there is no most: the last one goes in circles. */
const timesOf = (least: string, most: string | undefined): number => (most ? Number(most) : Number(least) + 1);
