import { present } from "../../../contract/core/narrow";
import { addTo } from "./lists";
import { isNeedlesslyEncoded, isOfPaths, isRefused } from "./paths";
import { Unservable } from "./unservable";

/** The parts of a replacement: texts as they are, and groups by their numbers. */
export type Piece = string | number;

/** RE2's program, as re2js compiles it. */
export interface Program {
  readonly inst: readonly Instruction[];
  readonly start: number;
}
interface Instruction {
  readonly op: number;
  readonly out: number;
  readonly arg: number;
  matchRune(rune: number): boolean;
}
/** Its operations, by the numbers of re2js. */
const OP = {
  alt: 1,
  altMatch: 2,
  capture: 3,
  empty: 4,
  match: 6,
  nop: 7,
  rune: 8,
  rune1: 9,
  any: 10,
  anyNotNewline: 11,
};
/** Conditions of places: at the begin, and at the end, of a line or a text. Paths have one line. */
const [AT_BEGIN, AT_END] = [1 | 4, 2 | 8];

/** How far a path was read: `start`, a slash (`/`, `/.`, `/..`), a segment (`x`), a code (`%`, `%2`). */
type Form = string;
const START: Form = "start";
const isWhole = (form: Form): boolean => form === "/" || form === "x" || form.startsWith("%");
const CHARACTERS = Array.from({ length: 0x7e - 0x20 }, (_, index) =>
  String.fromCharCode(0x21 + index),
).filter(isOfPaths);

const known = new Map<string, Form | undefined>();
/** Reads one more character; undefined where no path goes on so. */
function read(form: Form, character: string): Form | undefined {
  const key = form + character;
  if (!known.has(key)) known.set(key, next(form, character));
  return known.get(key);
}

function next(form: Form, character: string): Form | undefined {
  if (!isOfPaths(character)) return undefined;
  if (form === START) return character === "/" ? "/" : undefined;
  if (character === "/") return isWhole(form) && form !== "/" ? "/" : undefined;
  if (isRefused(form + character) || isNeedlesslyEncoded(form + character)) return undefined;
  if (character === "%") return "%";
  if (form === "%" && /[0-9a-f]/i.test(character)) return `%${character.toLowerCase()}`;
  return character === "." && (form === "/" || form === "/.") ? `${form}.` : "x";
}

/** A place in the program: how far the path was read, whether by the match, and whether it must end here. */
interface Position {
  readonly pc: number;
  readonly form: Form;
  readonly moved: boolean;
  readonly ended: boolean;
}
interface Node extends Position {
  readonly id: number;
  /** Without a character, for a step that reads nothing. */
  steps: readonly { readonly character?: string; readonly to: Node }[];
}
/** The result of a match so far, and the place up to which the last group was copied. */
interface Made {
  readonly made: Form;
  readonly at?: Node;
}

/** Larger patterns are refused: so many steps take some 0.1 s. Common patterns take 5,000. */
const MAX_STEPS = 100_000;

/**
 * Whether every path in normal form stays in it when it is rewritten. Follows everything that the pattern
 * could match, and so sometimes says no where every real path would stay in form.
 */
export function staysInForm(program: Program, pieces: readonly Piece[]): boolean {
  const budget = { left: MAX_STEPS };
  const graphs = new Map<Form, Graph>();
  const graphAt = (form: Form): Graph => {
    const graph = graphs.get(form) ?? new Graph(program, form, budget);
    graphs.set(form, graph);
    return graph;
  };
  const seen = new Set<string>();
  const open = [{ form: START, made: START, isAfterMatch: false }];
  for (let so = open.pop(); so; so = open.pop()) {
    const key = `${so.form} ${so.made} ${so.isAfterMatch}`;
    if (seen.has(key)) continue;
    seen.add(key);
    if (isWhole(so.form) && !isWhole(so.made)) return false;
    for (const character of CHARACTERS) {
      const form = read(so.form, character);
      if (form === undefined) continue;
      const made = read(so.made, character);
      if (made === undefined) return false;
      open.push({ form, made, isAfterMatch: false });
    }
    const ends = graphAt(so.form).replaced(pieces, so.made);
    if (!ends) return false;
    for (const { at, made } of ends) {
      // After a match, RE2 takes no empty one at the same place.
      if (so.isAfterMatch && !at.moved) continue;
      if (!at.ended) open.push({ form: at.form, made, isAfterMatch: true });
      else if (!isWhole(made)) return false;
    }
  }
  return true;
}

/** All positions that a match may pass from a point in a path, without those that lead to no match. */
class Graph {
  readonly #nodes: readonly Node[];

  constructor(
    private readonly program: Program,
    form: Form,
    private readonly budget: { left: number },
  ) {
    const nodes = new Map<string, Node>();
    const before = new Map<Node, Node[]>();
    const open: Node[] = [];
    const nodeOf = (position: Position): Node => {
      const key = `${position.pc} ${position.form} ${position.moved} ${position.ended}`;
      const found = nodes.get(key);
      if (found) return found;
      const fresh: Node = { ...position, id: nodes.size, steps: [] };
      nodes.set(key, fresh);
      open.push(fresh);
      return fresh;
    };
    nodeOf({ pc: program.start, form, moved: false, ended: false });
    for (let node = open.pop(); node; node = open.pop()) {
      node.steps = this.#positionsAfter(node).map(({ character, to }) => ({ character, to: nodeOf(to) }));
      for (const { to } of node.steps) addTo(before, to, node);
    }
    const useful = reachable(
      [...nodes.values()].filter((node) => this.#isMatch(node)),
      (node) => before.get(node) ?? [],
    );
    for (const node of useful) node.steps = node.steps.filter(({ to }) => useful.has(to));
    this.#nodes = [...useful];
  }

  /** How a path may go on after a match with its replacement; undefined if the result may not be a path. */
  replaced(pieces: readonly Piece[], made: Form): { at: Node; made: Form }[] | undefined {
    if (this.#nodes.length === 0) return [];
    let so: readonly Made[] = [{ made }];
    for (const piece of pieces) {
      const longer = new Map<string, Made>();
      for (const state of so) {
        const found =
          typeof piece === "string" ? readAll(state.made, piece) : this.#copied(piece, state.made);
        if (!found) return undefined;
        for (const more of found) longer.set(`${more.at?.id} ${more.made}`, more);
      }
      so = [...longer.values()];
    }
    return so.flatMap((state) =>
      this.#matchesFrom(state.at ? [state.at] : this.#nodes).map((at) => ({ at, made: state.made })),
    );
  }

  /** All that copying a group may make, with the places where it ends. */
  #copied(group: number, made: Form): readonly Made[] | undefined {
    const found: Made[] = this.#mayLack(group) ? [{ made }] : [];
    const seen = new Set<string>();
    const open = this.#nodes.filter((node) => this.#begins(node, group)).map((at) => ({ at, made }));
    for (let state = open.pop(); state; state = open.pop()) {
      const key = `${state.at.id} ${state.made}`;
      if (seen.has(key)) continue;
      seen.add(key);
      if (this.#ends(state.at, group)) {
        found.push(state);
        continue;
      }
      for (const { character, to } of state.at.steps) {
        this.#work();
        const more = character === undefined ? state.made : read(state.made, character);
        if (more === undefined) return undefined;
        open.push({ at: to, made: more });
      }
    }
    return found;
  }

  #matchesFrom(nodes: readonly Node[]): Node[] {
    return [...reachable(nodes, ({ steps }) => steps.map(({ to }) => to))].filter((node) =>
      this.#isMatch(node),
    );
  }

  /** Whether there is a match in which a group takes no part. */
  #mayLack(group: number): boolean {
    const around = (node: Node) => (this.#begins(node, group) ? [] : node.steps.map(({ to }) => to));
    const starts = this.#nodes.filter((node) => this.#begins(node, 0));
    return group > 0 && [...reachable(starts, around)].some((node) => this.#isMatch(node));
  }

  // Group 0 is the whole match.
  #begins = (node: Node, group: number): boolean =>
    group === 0 ? node.pc === this.program.start && !node.moved : this.#captures(node, 2 * group);
  #ends = (node: Node, group: number): boolean =>
    group === 0 ? this.#isMatch(node) : this.#captures(node, 2 * group + 1);
  #captures({ pc }: Position, border: number): boolean {
    const { op, arg } = this.#at(pc);
    return op === OP.capture && arg === border;
  }
  #isMatch = ({ pc, ended, form }: Position): boolean =>
    this.#at(pc).op === OP.match && (!ended || isWhole(form));
  #at = (pc: number): Instruction => present(this.program.inst[pc]);

  /** The positions that can follow a place. */
  #positionsAfter(position: Position): { character?: string; to: Position }[] {
    const instruction = this.#at(position.pc);
    const { op, out, arg } = instruction;
    switch (op) {
      case OP.alt:
      case OP.altMatch:
        return [{ to: { ...position, pc: out } }, { to: { ...position, pc: arg } }];
      case OP.capture:
      case OP.nop:
        return [{ to: { ...position, pc: out } }];
      case OP.empty:
        // Of borders of words nothing is assumed.
        if ((arg & AT_BEGIN) !== 0 && position.form !== START) return [];
        return [{ to: { ...position, pc: out, ended: position.ended || (arg & AT_END) !== 0 } }];
      case OP.rune:
      case OP.rune1:
      case OP.any:
      case OP.anyNotNewline:
        return position.ended ? [] : this.#readAfter(position, op >= OP.any ? undefined : instruction);
      default:
        return [];
    }
  }

  #readAfter(position: Position, asked: Instruction | undefined): { character: string; to: Position }[] {
    const { out } = this.#at(position.pc);
    return CHARACTERS.flatMap((character) => {
      this.#work();
      const form = read(position.form, character);
      if (form === undefined || (asked && !asked.matchRune(character.charCodeAt(0)))) return [];
      return [{ character, to: { pc: out, form, moved: true, ended: false } }];
    });
  }

  #work(): void {
    if (this.budget.left-- === 0)
      throw new Unservable(
        "the pattern of a url-rewrite is too large to say what it may make of paths: use a smaller one",
      );
  }
}

function readAll(made: Form, text: string): readonly Made[] | undefined {
  let form: Form | undefined = made;
  for (const character of text) {
    if (form === undefined) return undefined;
    form = read(form, character);
  }
  return form === undefined ? undefined : [{ made: form }];
}

function reachable(starts: readonly Node[], next: (node: Node) => readonly Node[]): Set<Node> {
  const found = new Set(starts);
  for (const node of found) for (const follower of next(node)) found.add(follower);
  return found;
}
