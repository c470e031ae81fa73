import { conditioned, map, text } from "../core/fields";
import { mark } from "../core/marks";

const part = (what: string) =>
  conditioned(text(255, "characters"), (value) =>
    value === "" || value.includes("=")
      ? `is a label's ${what}, which must not be empty or hold "="`
      : undefined,
  );

/** Labels of tunnels: a map from the user's own keys to values. */
export const labels = () =>
  mark(
    conditioned(map(part("key"), part("value")), (value) =>
      Object.keys(value).length === 0 ? "must name at least one label" : undefined,
    ),
    { userKeys: true },
  );
