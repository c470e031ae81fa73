/** Caches a function's result for each object, as long as the object lives. Such objects do not change. */
export function oncePer<K extends object, T>(derive: (from: K) => T): (from: K) => T {
  const known = new WeakMap<K, { readonly value: T }>();
  return (from) => {
    let derived = known.get(from);
    if (!derived) {
      derived = { value: derive(from) };
      known.set(from, derived);
    }
    return derived.value;
  };
}

/** A function that makes its result at the first call. */
export function once<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** Caches a function's result for each key, for keys without end: at `most` of them, all are forgotten. */
export function remembering<K, T>(most: number, derive: (from: K) => T): (from: K) => T {
  const known = new Map<K, { readonly value: T }>();
  return (from) => {
    let derived = known.get(from);
    if (!derived) {
      derived = { value: derive(from) };
      if (known.size >= most) known.clear();
      known.set(from, derived);
    }
    return derived.value;
  };
}
