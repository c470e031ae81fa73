import { type DeclaredHostports, holdersOf, type RecordedResource } from "../operation";
import { edgeMark, MOST_EDGES, type Origin } from "./origin";

/**
 * Why a run could not give a resource its hostports: another resource declares the same one, or an edge of
 * the stack that the program no longer declares still serves it. That edge is often the resource itself under
 * its old name.
 */
export function refusalsToServe(
  declared: DeclaredHostports,
  { urn, edges }: Origin,
  { all, added }: { all: readonly string[]; added: readonly string[] },
  recorded: readonly RecordedResource[],
): string[] {
  const knowsAll = edges !== undefined && edges.length < MOST_EDGES;
  const undeclared = holdersOf((resource) => resource.urn === urn, knowsAll ? added : [], recorded)
    .filter(
      ({ definition, name, resource }) =>
        !declared.knows(resource.urn) && !edges?.includes(edgeMark(definition.type, name)),
    )
    .map(({ hostport, name, definition }) => {
      const alias = urn.includes(`:${definition.type}::`)
        ? `add an alias, \`{ aliases: [{ name: "${name}" }] }\`, if this resource had that name before; if not, `
        : "";
      return `hostports: "${hostport}" is served by this stack's \`${name}\`: ${alias}remove it there in an earlier run`;
    });
  return [...declared.refusals(urn, all), ...undeclared];
}
