// Counts words that the field has a usual one for, so that they do not come back. `npm run check` runs it.
const { execFileSync } = require("node:child_process");
const { readFileSync } = require("node:fs");
const { join, resolve } = require("node:path");

const ROOT = resolve(__dirname, "../..");
const CODE = /\.(ts|mjs|cjs)$/;
/** What users install. */
const PRODUCT = /^(sdk|server|gateway|provider|plugin|policies)\/.*\.(ts|mjs)$/;
const TEXT = /\.(ts|mjs|cjs|md)$/;

/** What is retired, what to write, and how often it may still stand there: fewer is written down here. */
const RETIRED = [
  { of: TEXT, word: /^(<{7}|>{7})( |$)/, use: "what a merge has left open", left: 0 },
  { of: CODE, word: /\b(MOST|LONGEST|LARGEST|DEEPEST)_[A-Z]/g, use: "MAX_…", left: 0 },
  { of: CODE, word: /\b(SMALLEST|SHORTEST|LEAST)_[A-Z]/g, use: "MIN_…", left: 0 },
  { of: CODE, word: /\b(?:const|import .*) (MOST|LONGEST|LARGEST|DEEPEST)\b/g, use: "MAX_…", left: 1 },
  { of: PRODUCT, word: /\bconst said\b/g, use: "the thing's name", left: 0 },
  { of: CODE, word: /\b(UserRow|allUsersOf|usersOf)\b/g, use: "ReferrerRow, referrersOf", left: 0 },
  { of: CODE, word: /\b(takeTurn|letRest)\b/g, use: "yieldToEventLoop, pause", left: 0 },
  { of: CODE, word: /\b(Coming|Leaving(?! one)|comingOf)\b/g, use: "PendingWrite, PendingDelete", left: 0 },
  { of: CODE, word: /\bcheckUsers\b/g, use: "checkReferrers", left: 0 },
  { of: CODE, word: /\btold_secret\b/g, use: "one_time_secret", left: 0 },
  { of: CODE, word: /\bEVERY_ANSWER\b/g, use: "DEFAULT_HEADERS", left: 0 },
  { of: CODE, word: /\b(mendTimes|keepToOwner)\b/g, use: "repairTimes, restrictToOwner", left: 0 },
  { of: CODE, word: /\bNotJudged\b/g, use: "NotEvaluated", left: 0 },
  { of: CODE, word: /underWay|UnderWay/g, use: "inFlight", left: 0 },
  { of: TEXT, word: /\bunder way\b/g, use: "in flight, in progress", left: 0 },
  { of: TEXT, word: /\bfor so long\b/g, use: "this long", left: 0 },
  { of: CODE, word: /\bclass (Telling|Comparing|Planning|Deciding)\b/g, use: "a noun", left: 0 },
  {
    of: TEXT,
    word: /(?<![Tt]here )\bis no (address|list|JSON|text|IP|token|object|scope|header|form|warning)\b/g,
    use: "is not a …",
    left: 0,
  },
];

const lines = execFileSync("git", ["ls-files"], { cwd: ROOT, encoding: "utf8" })
  .split("\n")
  .filter((file) => TEXT.test(file) && file !== "tools/scripts/words.cjs" && file !== "CHANGELOG.md")
  .flatMap((file) =>
    readFileSync(join(ROOT, file), "utf8")
      .split("\n")
      .map((text, index) => ({ file, at: `${file}:${index + 1}`, text })),
  );

for (const { of, word, use, left } of RETIRED) {
  const found = lines.flatMap(({ file, at, text }) => {
    const [first] = (of.test(file) && text.match(word)) || [];
    return first === undefined ? [] : [`${at}: ${first}`];
  });
  if (found.length === left) continue;
  process.exitCode = 1;
  if (found.length < left)
    console.error(`${word}: ${found.length} are left: write that in tools/scripts/words.cjs`);
  else console.error(`${found.slice(0, 20).join("\n")}\nWrite ${use} (${found.length}, at most ${left}).`);
}
