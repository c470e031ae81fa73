import type { TrafficExample, TrafficReplay } from "@tunnelplane/sdk/traffic";
import type { Report } from "./report";

/** The effects on recorded traffic, in one paragraph; empty if none was given. */
export const trafficText = ({ traffic }: Report): string =>
  traffic ? `Recorded traffic${hoursOf(traffic)}: ${traffic.sentence}` : "";

/** " of 2026-11-22 14:00 to 2026-11-23 13:00 UTC": the beginnings of hours. */
function hoursOf({ first_hour: first, last_hour: last }: TrafficReplay): string {
  if (first === null || last === null) return "";
  const timeText = (hour: string) => hour.slice(0, "2026-11-22T14:00".length).replace("T", " ");
  return ` of ${timeText(first)}${first === last ? "" : ` to ${timeText(last)}`} UTC`;
}

const FATES: Readonly<Record<TrafficExample["kind"], string>> = {
  refused: "would be refused",
  opened: "would be newly answered",
  moved: "would be answered by another backend or with another status",
};

/** One cause for which requests end in another way, or cannot be decided. */
export interface TrafficRow {
  /** "1,200 would be refused" */
  readonly fate: string;
  /** An example, or the reason. */
  readonly text: string;
}

export function trafficRows({ traffic }: Report): TrafficRow[] {
  const { examples = [], reasons = [] } = traffic ?? {};
  const row = (requests: number, fate: string, text: string): TrafficRow => ({
    fate: `${requests.toLocaleString("en-US")} ${fate}`,
    text,
  });
  return [
    ...examples.map(({ kind, requests, sentence }) => row(requests, FATES[kind], sentence)),
    ...reasons.map(({ reason, requests }) => row(requests, "cannot be decided", reason)),
  ];
}
