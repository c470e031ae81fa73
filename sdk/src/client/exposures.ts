import type { Exposure } from "../meaning/exposure/exposure";
import type { Decision, DecisionRequest } from "../meaning/judgement/types";
import type { ExposureFacts } from "./generated";
import type { Transport } from "./transport";

export interface ExposureOptions {
  /** Only this address, or all addresses of this hostport. */
  readonly address?: string;
  /** How many rows one request asks for, 1 to 100. Default 100. */
  readonly pageSize?: number;
}

/** A row of the server, with its words for people and the state of the edge at each gateway. */
export interface StoredExposure extends Exposure, ExposureFacts {}

/** The exposure of each address on the server. */
export class Exposures {
  constructor(private readonly transport: Transport) {}

  /** A row for each address, in the order of addresses; requests the next page when it is needed. */
  list({ address, pageSize: limit = 100 }: ExposureOptions = {}): AsyncGenerator<StoredExposure> {
    return this.transport.list("/exposure", "exposure", { limit, address });
  }

  /**
   * Answers what gateways do with requests to the stored objects, in their order.
   * @param requests at most 100
   */
  async decide(requests: readonly DecisionRequest[]): Promise<Decision[]> {
    const { body } = await this.transport.request<Decided>("POST", "/exposure/decisions", { requests });
    return body.decisions;
  }
}

interface Decided {
  readonly decisions: Decision[];
}
