/** A block at the top of a file in HCL: `resource "tunnelplane_tls_edge" "site" { … }`. */
export interface HclBlock {
  readonly kind: string;
  readonly labels: readonly string[];
  readonly line: number;
  /** Its texts without a template that tell what it is called and where a module is. */
  readonly attributes: { readonly source?: string; readonly name?: string };
}

interface Token {
  readonly text: string;
  readonly line: number;
}

const SKIPPED =
  /\s+|#[^\n]*|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|<<-?([A-Za-z][\w-]*)\r?\n(?:[^\n]*\n)*?[ \t]*\1(?![\w-])/y;
const WORD = /[A-Za-z_][\w-]*/y;
/** The kinds of blocks that have a name. */
const NAMED = ["resource", "module"];
/** A text in quotes that says the same wherever it stands. */
const PLAIN = /^"([^"\\$%]*)"$/;

/** The blocks of a file, whatever else is in it; it needs not be free of mistakes. */
export function* blocksIn(content: string): Generator<HclBlock> {
  let [depth, head, pulumi]: [number, Token[], boolean] = [0, [], false];
  let open: { kind: string; labels: string[]; line: number; attributes: Record<string, string> } | undefined;
  for (const token of tokensIn(content)) {
    if (token.text === "{") {
      if (depth === 0) open = blockOf(head);
      else if (depth === 1) pulumi = head.at(-1)?.text === "pulumi";
      depth++;
    } else if (token.text === "}") {
      depth = Math.max(0, depth - 1);
      if (depth === 0 && open) yield open;
      if (depth === 0) open = undefined;
    } else {
      head = [...(head.length > 2 ? head.slice(-2) : head), token];
      const [name, equals, value] = head.map(({ text }) => text);
      const [, plain] = PLAIN.exec(value ?? "") ?? [];
      const isAsked = (depth === 1 && name === "source") || (depth === 2 && pulumi && name === "name");
      if (open && isAsked && equals === "=" && plain !== undefined) open.attributes[name as string] = plain;
      continue;
    }
    head = [];
  }
}

function blockOf(head: readonly Token[]) {
  const [kind, ...labels] = head.slice(head.findIndex(({ text }) => NAMED.includes(text)));
  return kind && { kind: kind.text, line: kind.line, labels: labels.map(labelOf), attributes: {} };
}

/** With quotes or without. */
const labelOf = ({ text }: Token): string => text.replace(/^"(.*)"$/, "$1");

function* tokensIn(content: string): Generator<Token> {
  let line = 1;
  for (let at = 0; at < content.length; ) {
    const skipped = matched(SKIPPED, content, at);
    const end = skipped ?? (content[at] === '"' ? endOfText(content, at + 1) : matched(WORD, content, at));
    const text = content.slice(at, end ?? at + 1);
    if (skipped === undefined) yield { text, line };
    for (const char of text) if (char === "\n") line++;
    at = end ?? at + 1;
  }
}

/** Where a match at an index ends. */
function matched(pattern: RegExp, content: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(content) ? pattern.lastIndex : undefined;
}

/** Where a text in quotes ends, with the texts in its templates: `"a ${f("b")}"`. */
function endOfText(content: string, start: number): number {
  const nested: number[] = []; // for each text around: how many braces are open in its template
  let braces = 0;
  for (let at = start; at < content.length; at++) {
    const char = content[at] as string;
    if (braces > 0) {
      if (char === '"') [braces] = [0, nested.push(braces)];
      else if (char === "{") braces++;
      else if (char === "}") braces--;
    } else if (char === "\\") at++;
    else if (char === '"') {
      if (nested.length === 0) return at + 1;
      braces = nested.pop() as number;
    } else if ("$%".includes(char) && content[at + 1] === "{") [braces, at] = [1, at + 1];
    else if ("$%".includes(char) && content[at + 1] === char) at++; // `$${` is not a template
  }
  return content.length;
}
