/** Derives something from each object once, and keeps it as long as the object: what every request walks through does not change. */
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
