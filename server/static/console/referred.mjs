import { get, pathOf } from "./api.mjs";
import { kindOfId, nameOf } from "./links.mjs";

/** The limit on objects that are read so that a page can name those that its object refers to. */
const MAX_READ = 24;

/**
 * The names of the objects that an object refers to, by their ids. Those that cannot be read stay without a name.
 */
export async function namesOfReferred(found) {
  const addresses = [...referencesIn(found)].filter(([id]) => id !== found.id).slice(0, MAX_READ);
  const named = await Promise.all(
    addresses.map(async ([id, path]) => {
      const one = await get(`${path}?names=true`).catch(() => undefined);
      return [id, one && nameOf(one)];
    }),
  );
  return new Map(named.filter(([, name]) => name !== undefined));
}

/** The ids that stand in a value, each with the path of its object. */
function referencesIn(value, into = new Map()) {
  if (typeof value === "string") {
    const kind = isId(value) ? kindOfId(value) : undefined;
    if (kind && !kind.path.includes("{") && !into.has(value)) into.set(value, `${kind.path}/${value}`);
  } else if (Array.isArray(value)) {
    for (const item of value) referencesIn(item, into);
  } else if (typeof value === "object" && value !== null) {
    if (value.id && value.uri) into.set(value.id, pathOf(value.uri));
    for (const [name, item] of Object.entries(value)) {
      if (name === "routes") continue; // objects of their own, which the page lists
      referencesIn(name, into);
      referencesIn(item, into);
    }
  }
  return into;
}

/** Whether a text is the id of an object. */
export const isId = (text) => /_[0-9A-Za-z]{27}$/.test(text) && kindOfId(text) !== undefined;
