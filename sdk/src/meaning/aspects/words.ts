import type { Exposure } from "../exposure/exposure";
import { SHOWN } from "./index";

/** One aspect of an address for people. */
export interface AspectWords {
  /** The field of the row: `client_certificate`. */
  readonly field: keyof Exposure;
  /** What people call it: `Client certificate`. */
  readonly title: string;
  /** In one line; null where nothing is asked of anybody. */
  readonly text: string | null;
}

/** What a row of exposures says of each aspect, in words. */
export const aspectWords = (exposure: Exposure): AspectWords[] =>
  SHOWN.map(({ shows }) => {
    const field = shows.field as keyof Exposure;
    return { field, title: shows.title, text: shows.words(exposure[field]) };
  });

/** What callers have to show or pass, each in a word or two. */
export const checkWords = (exposure: Exposure): string[] =>
  SHOWN.flatMap(({ shows }) => shows.check?.(exposure[shows.field as keyof Exposure]) ?? []);
