import type { Decision } from "../judgement/types";
import type { Model } from "../model";
import { touchedBy } from "./touched";

/**
 * Whether the change touches nothing that matters for two decisions on one request. If so they are alike,
 * even if they depend on something unknown in the request.
 */
export function unaffectedBy(before: Model, after: Model): (was: Decision, is: Decision) => boolean {
  const touched = touchedBy(before, after);
  const isTouched = ({ identity }: { readonly identity: string }) => touched.has(identity);
  const touchesAll = [before, after].some((model) => model.ofUnknownOwner.some(isTouched));
  const servedBy = new Map<string, boolean>();
  const isSame = (edge: string): boolean => {
    const things = [before, after].flatMap((model) => {
      const found = model.find(edge);
      return found ? [found, ...model.belongingTo(found)] : [];
    });
    return !things.some(isTouched);
  };
  return (was, is) => {
    const [edge, now] = [was.steps[0]?.id, is.steps[0]?.id];
    // Other edges decide whether another host is served on the connection.
    if (touchesAll || !edge || edge !== now || was.by?.field === "host" || is.by?.field === "host")
      return false;
    const isUnaffected = servedBy.get(edge) ?? isSame(edge);
    servedBy.set(edge, isUnaffected);
    return isUnaffected;
  };
}
