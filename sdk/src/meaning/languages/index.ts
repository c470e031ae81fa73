/**
 * Decides questions about all texts with a few of them: for some tests of a text, one text for each
 * combination of answers that texts can give. All tests are regular languages, so every question has an
 * answer, and the only limit is the size of the automata.
 */
export { TooLarge } from "./automaton";
export type { TextTest } from "./cells";
export { cellsOf, type Language } from "./cells";
export {
  HEADER_VALUES,
  METHODS,
  namesBelow,
  onlyName,
  PATHS,
  pathsOf,
  type RouteMatch,
  USER_AGENTS,
} from "./requests";
