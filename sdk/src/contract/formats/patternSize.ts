/**
 * A Unicode class such as \pL holds hundreds of ranges, so it counts for more than a character. The factor is
 * our choice.
 */
const UNICODE_CLASS = 20;
/**
 * A capturing group takes an instruction for its begin, its end, and for the case that it is empty; other
 * groups for the latter only.
 */
const GROUP = 3;
const GROUP_NOT_KEPT = 1;
/** Every program begins and ends with an instruction. */
const WHOLE = 2;

/** An unfinished sequence: its size, and the size of its last part, which a repetition would repeat. */
interface Open {
  size: number;
  last: number;
}

/**
 * The most instructions that RE2's program for an expression has, computed without compiling it. Counts of
 * repetitions multiply. Takes time in proportion to the expression's length. Does not check the syntax: an
 * invalid expression gets some number.
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
    // Each repetition needs one more instruction, which decides whether another one follows.
    upTo: ({ count }) => replaceLast(count * (open.last + 1)),
    part: ({ count }) => add(count),
  };
  for (const token of tokensOf(expression)) steps[token.kind](token);
  while (groups.length > 0) steps.close({ kind: "close", count: 0 });
  return open.size;
}

interface Token {
  readonly kind: "open" | "close" | "branch" | "times" | "upTo" | "part";
  /** The number of repetitions of a repetition; the number of instructions of any other part. */
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
      yield range === undefined
        ? { kind: "times", count: Math.max(Number(least), 1) }
        : { kind: "upTo", count: timesOf(least, most) };
    else if (unicode !== undefined) yield { kind: "part", count: UNICODE_CLASS };
    else if (set !== undefined)
      yield { kind: "part", count: 1 + UNICODE_CLASS * (set.split(/\\p/i).length - 1) };
    else yield { kind: "part", count: quoted?.length ?? 1 };
  }
}

/** Without a maximum, one more than the minimum: the last repetition is a loop. */
const timesOf = (least: string, most: string | undefined): number =>
  most ? Number(most) : Number(least) + 1;
