/**
 * The limit of combinations that are tried at an address. It counts and does not time, so that every machine
 * gives the same answer.
 */
export const MAX_AT_AN_ADDRESS = 200_000;
/** The limit of evaluations of predicates for one write; they take about a second. */
export const MAX_EVALUATIONS = 2_000_000;

/** What is left of a limit, which several proofs share. */
export interface Room {
  evaluations: number;
}

export const newRoom = (): Room => ({ evaluations: MAX_EVALUATIONS });
