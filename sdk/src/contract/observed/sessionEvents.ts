import { conditioned, text } from "../core/fields";

const SESSION_ID = /^ts_[0-9A-Za-z]{27}$/;

/** The id of a session, which its gateway makes. */
export const sessionId = () =>
  conditioned(text(64), (id) =>
    SESSION_ID.test(id) ? undefined : 'must be "ts_" and 27 letters and digits',
  );

/** An agent is connected and has bound something. */
export const SESSION_STARTED = "tunnel_session_started.v0";
/** A session is over; its event says why, as `reason`. */
export const SESSION_STOPPED = "tunnel_session_stopped.v0";

export const SESSION_EVENTS: readonly string[] = [SESSION_STARTED, SESSION_STOPPED];

/**
 * Why a session is over: its agent left; somebody stopped or restarted it; its gateway no longer reports.
 * Gateways end their session where somebody asked for that.
 */
export const STOP_REASONS = ["left", "stopped", "restarted", "gateway_silent"] as const;
export type StopReason = (typeof STOP_REASONS)[number];
