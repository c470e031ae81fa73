import { refuseFaults } from "../apiError";
import type { Behaviour } from ".";
import { mintSecret } from "./mintSecret";

/** Mints an API key. One that would never be accepted is a mistake of whoever asks for it. */
export const makeApiKey: Behaviour = async (creation) => {
  const { sent, now } = creation;
  if (typeof sent.expires_at === "string" && Date.parse(sent.expires_at) <= now.getTime()) {
    const message = `must lie in the future; it is ${now.toISOString()} now`;
    refuseFaults([{ error: "invalid_field", path: ["expires_at"], message }]);
  }
  return mintSecret("tpk")(creation);
};
