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
