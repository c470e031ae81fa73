/** A list that is made when it is first looked at. */
export function lazyList<T>(make: () => readonly T[]): readonly T[] {
  let isMade = false;
  const filled = (list: T[]): T[] => {
    if (!isMade) {
      isMade = true; // also while it is being made, or a look at it from there would have no end
      list.push(...make());
    }
    return list;
  };
  return new Proxy<T[]>([], {
    get: (list, name) => Reflect.get(filled(list), name),
    has: (list, name) => Reflect.has(filled(list), name),
    ownKeys: (list) => Reflect.ownKeys(filled(list)),
    getOwnPropertyDescriptor: (list, name) => Reflect.getOwnPropertyDescriptor(filled(list), name),
  });
}
