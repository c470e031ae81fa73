/** One table of results, for the terminal, the JSON file and the documentation. */
export interface Section {
  readonly part: string;
  readonly title: string;
  /** How it was measured, in a sentence or two. */
  readonly note: string;
  /** Columns by key, with their headings, in order. */
  readonly columns: Readonly<Record<string, string>>;
  readonly rows: readonly Row[];
}

/** Numbers are not rounded; null means that there is no value. */
export type Row = Readonly<Record<string, string | number | boolean | null>>;

/** The median of several measurements, by one of their figures. */
export function medianBy<T>(values: readonly T[], figure: (value: T) => number): T {
  return [...values].sort((a, b) => figure(a) - figure(b))[Math.floor(values.length / 2)] as T;
}

/** A ratio with two digits, or null if there is nothing to compare. */
export function ratio(ours: number | null | undefined, floor: number | null | undefined): number | null {
  return ours === null || ours === undefined || !floor ? null : Math.round((ours / floor) * 100) / 100;
}
