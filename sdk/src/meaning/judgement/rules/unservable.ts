import { remembering } from "../../../contract/core/once";

/** No gateway can enforce a declared object. The edge is not served; the message says why. */
export class Unservable extends Error {}

/** Why an edge is closed whose objects another server stored in a form that is not known here. */
export const unreadable = (fault: string): string =>
  `this gateway cannot read it (${fault}): upgrade this gateway, or declare the edge anew`;

/** After every change of any object, all texts of the world are needed again. */
const MAX_TEXTS = 10_000;

/** Caches what a function makes of a text, or that it throws Unservable for it. */
export function rememberingRefusals<T>(make: (text: string) => T): (text: string) => T {
  const outcomeOf = remembering(MAX_TEXTS, (text: string): T | Unservable => {
    try {
      return make(text);
    } catch (error) {
      if (error instanceof Unservable) return error;
      throw error;
    }
  });
  return (text) => {
    const outcome = outcomeOf(text);
    if (outcome instanceof Unservable) throw outcome;
    return outcome;
  };
}
