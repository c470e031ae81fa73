import { counted } from "@tunnelplane/sdk/contract";

export type State = "ok" | "warning" | "wrong";

/** The result of one check, and what to do about it. */
export interface Found {
  readonly check: string;
  readonly state: State;
  readonly says: string;
  /** What to do, if anything. */
  readonly cure?: string;
}

export const ok = (check: string, says: string): Found => ({ check, state: "ok", says });
export const warning = (check: string, says: string, cure: string): Found => ({
  check,
  state: "warning",
  says,
  cure,
});
export const wrong = (check: string, says: string, cure: string): Found => ({
  check,
  state: "wrong",
  says,
  cure,
});

const DAY_MS = 86_400_000;
/** Early enough to act, and late enough not to be ignored. */
const SOON_DAYS = 30;

/** Checks something that ends. */
export function untilEnd(check: string, what: string, end: Date, cure: string): Found {
  const days = Math.floor((end.getTime() - Date.now()) / DAY_MS);
  const date = end.toISOString().slice(0, 10);
  if (days < 0) return wrong(check, `${what} ended on ${date}`, cure);
  if (days < SOON_DAYS) return warning(check, `${what} ends in ${counted(days, "day")}, on ${date}`, cure);
  return ok(check, `${what} lasts until ${date}`);
}
