import { SHOWN } from "../aspects";
import type { Exposure } from "./exposure";

/** One aspect of an address for people. */
export interface AspectText {
  /** The field of the row: `client_certificate`. */
  readonly field: keyof Exposure;
  /** Its name for people: `Client certificate`. */
  readonly title: string;
  /** In one line; null if nothing is asked of callers. */
  readonly text: string | null;
}

/** Each aspect of a row of exposures, in words. */
export const aspectTexts = (exposure: Exposure): AspectText[] =>
  SHOWN.map(({ shows }) => {
    const field = shows.field as keyof Exposure;
    return { field, title: shows.title, text: shows.words(exposure[field]) };
  });

/** The checks that callers have to pass, each in a word or two. */
export const checkTexts = (exposure: Exposure): string[] =>
  SHOWN.flatMap(({ shows }) => shows.check?.(exposure[shows.field as keyof Exposure]) ?? []);
