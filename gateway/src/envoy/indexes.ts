/** Remembers a value that is made from a list, so that each list is read once and not for every edge. */
export function onceForEach<List extends object, Made>(make: (list: List) => Made): (list: List) => Made {
  const made = new WeakMap<List, Made>();
  return (list) => {
    const known = made.get(list);
    if (known !== undefined) return known;
    const fresh = make(list);
    made.set(list, fresh);
    return fresh;
  };
}

/** Adds to the list under a key. */
export function addTo<Key, Item>(lists: Map<Key, Item[]>, key: Key, item: Item): void {
  const list = lists.get(key);
  if (list) list.push(item);
  else lists.set(key, [item]);
}

/** Sorts items into lists by keys; an item may have several keys. */
export function grouped<Item>(
  items: readonly Item[],
  keysOf: (item: Item) => readonly string[],
): ReadonlyMap<string, readonly Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) for (const key of keysOf(item)) addTo(groups, key, item);
  return groups;
}

const idsOf = onceForEach(
  (list: readonly { readonly id: string }[]) => new Map(list.map((one) => [one.id, one])),
);

/** Finds an object of a list by its id. */
export const withId = <T extends { readonly id: string }>(list: readonly T[], id: string): T | undefined =>
  // An index of a list holds the items of that list.
  idsOf(list).get(id) as T | undefined;
