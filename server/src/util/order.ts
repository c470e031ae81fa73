/**
 * Puts nodes in an order in which each comes after what it refers to.
 * @param onCircle gets each way from a node back to itself; the order leaves out its last step
 */
export function inOrder<T>(
  nodes: readonly T[],
  targetsOf: (node: T) => readonly T[],
  onCircle?: (circle: readonly T[]) => void,
): T[] {
  const ordered: T[] = [];
  const done = new Set<T>();
  // Not recursive: a chain may be as long as the request.
  for (const first of nodes) {
    const way: { node: T; targets: readonly T[]; next: number }[] = [];
    const onWay = new Set<T>();
    const enter = (node: T) => {
      way.push({ node, targets: targetsOf(node), next: 0 });
      onWay.add(node);
    };
    if (!done.has(first)) enter(first);
    for (let step = way.at(-1); step; step = way.at(-1)) {
      const target = step.targets[step.next++];
      if (target === undefined) {
        way.pop();
        onWay.delete(step.node);
        done.add(step.node);
        ordered.push(step.node);
      } else if (onWay.has(target)) {
        const nodesOnWay = way.map(({ node }) => node);
        onCircle?.([...nodesOnWay.slice(nodesOnWay.indexOf(target)), target]);
      } else if (!done.has(target)) enter(target);
    }
  }
  return ordered;
}

/** Groups values by a key, in the order in which the keys come first. */
export function grouped<K, T>(values: Iterable<T>, key: (value: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const value of values) {
    const group = groups.get(key(value));
    if (group) group.push(value);
    else groups.set(key(value), [value]);
  }
  return groups;
}
