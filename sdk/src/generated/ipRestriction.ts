// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.
import type { Ref } from "../client/ref";

/**
 * Says from which addresses the API, the console, gateways by their agents, or all edges of the account may be reached. Several of one type admit whom any of their policies admits.
 *
 * As the API returns it.
 */
export interface IpRestriction {
  /** Identifier, `ipx_` and 27 characters that sort by time. */
  id: string;

  /** Address of this object. */
  uri: string;

  /** When it was created (RFC 3339). */
  created_at: string;

  /** A description for people. At most 255 bytes. */
  description: string;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata: string;

  /** Whether it refuses anybody; if not, it is only counted. Default false. */
  enforced: boolean;

  /** The callers that it limits: `api` those of the API, `dashboard` those of the console, `agent` the agents that connect to gateways, `endpoints` the callers of every edge, besides the edge's own restriction. Set at creation only. */
  type: "api" | "dashboard" | "agent" | "endpoints";

  /** The IP policies that an address is checked against; not empty while `enforced` is true. */
  ip_policies: Ref[];
}

/** The body that creates an IP restriction. */
export interface IpRestrictionCreate {
  /** A description for people. At most 255 bytes. */
  description?: string;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata?: string;

  /** Whether it refuses anybody; if not, it is only counted. Default false. */
  enforced?: boolean;

  /** The callers that it limits: `api` those of the API, `dashboard` those of the console, `agent` the agents that connect to gateways, `endpoints` the callers of every edge, besides the edge's own restriction. Set at creation only. */
  type: "api" | "dashboard" | "agent" | "endpoints";

  /** The IP policies that an address is checked against; not empty while `enforced` is true. */
  ip_policy_ids: string[];
}

/** The body that updates an IP restriction; fields left out stay as they are. */
export type IpRestrictionUpdate = Partial<Omit<IpRestrictionCreate, "type">>;
