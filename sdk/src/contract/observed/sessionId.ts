import { conditioned, text } from "../core/fields";

const SESSION_ID = /^ts_[0-9A-Za-z]{27}$/;

/** The id of a session, which its gateway makes. */
export const sessionId = () =>
  conditioned(text(64), (id) =>
    SESSION_ID.test(id) ? undefined : 'must be "ts_" and 27 letters and digits',
  );
