import { refusedBeside } from "../refusal";
import type { RestAnswer } from "../rest";
import type { Refusal } from "./expect";

type Ask = () => Promise<RestAnswer>;

/** Shows that requests are refused, and the same allowed where it should be; returns the first answer. */
export async function expectRefusedBut(
  refused: Ask | readonly Ask[],
  as: Refusal,
  allowed: Ask,
): Promise<RestAnswer> {
  const { refused: answers } = await refusedBeside({ refused, as, allowed, refusedFirst: true });
  return answers[0] as RestAnswer;
}
