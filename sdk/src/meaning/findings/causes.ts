import { NOT_DECIDING } from "../access/touched";
import { ASPECTS } from "../exposure/exposure";
import { CREDENTIALS, mayBind } from "../judgement/backends/binding";
import type { Target } from "../judgement/backends/traffic";
import type { Model, ModelObject } from "../model";
import { canonical, fieldNamed, textsIn } from "../values";
import { type AddressChange, type Context, causeOf, type Draft, differs } from "./finding";

/** The change at an address, or else beside it: at its edge, or at another route of that edge. */
export function changedAt({ before, after }: AddressChange, context: Context): Draft["cause"] | undefined {
  if (!before || !after) return undefined;
  const [, aspect] = ASPECTS.find(([, read]) => differs(read(before), read(after))) ?? [];
  if (aspect) return causeOf(aspect(before), aspect(after), after);
  const edge = after.edge ?? before.edge;
  return edge && changedAround(edge, context);
}

function changedAround(
  { identity, kind }: ModelObject,
  { before, after }: Context,
): Draft["cause"] | undefined {
  const around = (model: Model) => {
    const edge = model.of(kind).find((candidate) => candidate.identity === identity);
    return edge ? [edge, ...model.belongingTo(edge)] : [];
  };
  const past = new Map(around(before).map((thing) => [thing.identity, thing]));
  for (const thing of around(after)) {
    const was = past.get(thing.identity);
    if (!was) return thing;
    past.delete(thing.identity);
    const property = Object.keys({ ...was.fields, ...thing.fields }).find(
      (name) =>
        !NOT_DECIDING.has(name) &&
        canonical(fieldNamed(was.fields, name)) !== canonical(fieldNamed(thing.fields, name)),
    );
    if (property !== undefined) {
      const own = thing.modules.get(property);
      return own ? { kind, object: own } : { ...thing, property };
    }
  }
  return [...past.values()][0];
}

/** A credential that could serve a tunnel group, and cannot any more. */
export function changedCredential(
  target: Target | null,
  { before, after }: Context,
): Draft["cause"] | undefined {
  const binds = bindsOf(target);
  const serves = ({ fields }: ModelObject) => binds.some((bind) => mayBind(textsIn(fields.acl), bind));
  const now = new Map(
    CREDENTIALS.flatMap((kind) => after.inForce(kind)).map((thing) => [thing.identity, thing]),
  );
  for (const thing of CREDENTIALS.flatMap((kind) => before.inForce(kind))) {
    const is = now.get(thing.identity);
    if (serves(thing) && !(is && serves(is))) return is ? { ...is, property: "acl" } : thing;
  }
  return undefined;
}

function bindsOf(target: Target | null): string[][] {
  switch (target?.kind) {
    case "tunnel_group":
      return [Object.entries(target.labels).map(([key, value]) => `bind:${key}=${value}`)];
    case "weighted":
      return target.parts.flatMap(({ to }) => bindsOf(to));
    case "failover":
      return target.in_order.flatMap(bindsOf);
    default:
      return [];
  }
}
