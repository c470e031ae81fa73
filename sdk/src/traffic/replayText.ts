import type { Changed, TrafficReplay } from "./replayed";

const number = (count: number): string => count.toLocaleString("en-US");
const counted = (count: number, one: string): string => `${number(count)} ${one}${count === 1 ? "" : "s"}`;

/**
 * "312 of 48,120 requests would be refused, from 4 networks; first: …; 0 would be newly answered; 17 cannot
 * be decided: a policy asks for the header `x-team`, not recorded."
 * @param reasons how many reasons there are why requests cannot be decided
 */
export function replayWords(replay: Omit<TrafficReplay, "sentence">, reasons: number): string {
  const { requests, refused, opened, moved, unknown, networks, damaged } = replay;
  const first = (kind: Changed): string => {
    const example = replay.examples.find((one) => one.kind === kind);
    return example ? `; first: ${example.sentence}` : "";
  };
  const [reason] = replay.reasons;
  const others = reasons > 1 ? `, and ${counted(reasons - 1, "other reason")}` : "";
  const parts = [
    `${number(refused)} of ${counted(requests, "request")} would be refused${refused > 0 ? `, from ${counted(networks, "network")}` : ""}${first("refused")}`,
    `${number(opened)} would be newly answered${first("opened")}`,
    ...(moved > 0
      ? [`${number(moved)} would be answered by another backend or with another status${first("moved")}`]
      : []),
    ...(unknown > 0 && reason
      ? [`${number(unknown)} cannot be decided: ${asClause(reason.reason)}${others}`]
      : []),
  ];
  const left =
    damaged > 0 ? ` ${counted(damaged, "damaged line")} ${damaged === 1 ? "is" : "are"} left out.` : "";
  return `${parts.join("; ")}.${left}`;
}

/** A sentence as a part of another one. */
const asClause = (sentence: string): string =>
  sentence.replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase()).replace(/\.$/, "");
