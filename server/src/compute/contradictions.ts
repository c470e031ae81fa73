import { contradiction, type DecisionRequest } from "@tunnelplane/sdk/meaning";

type Fields = Readonly<Record<string, unknown>>;

export interface GuaranteesToCompare {
  readonly some: readonly Fields[];
  readonly others: readonly Fields[];
}

/** Two of the compared guarantees that cannot both hold. */
export interface Contradiction {
  /** Its index in `others`. */
  readonly other: number;
  /** One wants it refused, the other one answered. */
  readonly request: DecisionRequest;
}

/** The first contradiction of some guarantees and others. */
export function contradictionAmong({ some, others }: GuaranteesToCompare): Contradiction | undefined {
  for (const one of some)
    for (const [other, another] of others.entries()) {
      const request = contradiction(one, another);
      if (request) return { other, request };
    }
  return undefined;
}
