import { z } from "zod";
import { conditioned } from "../core/fields";
import { mark } from "../core/marks";

const part = (what: string) =>
  conditioned(z.string(), (value) =>
    value === "" || value.includes("=") ? `is a label's ${what}, which must not be empty or hold "="` : undefined,
  );

/** Labels that tunnels carry: a map of the user's own keys to values. */
export const labels = () =>
  mark(
    conditioned(z.record(part("key"), part("value")), (value) =>
      Object.keys(value).length === 0 ? "must name at least one label" : undefined,
    ),
    { userKeys: true },
  );
