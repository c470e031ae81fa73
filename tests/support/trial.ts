import { Trial } from "../../gateway/dist/trial/trial";
import { ENVOY, needsEnvoy } from "./envoy";

/** An Envoy for a test file, on which worlds are tried. Skips the file, and says so, if there is no Envoy. */
export function trialOfThisFile(): { readonly now: Trial } {
  const state = {} as { now: Trial };
  before("start Envoy", async function () {
    needsEnvoy(this);
    state.now = await Trial.start(ENVOY as string);
  });
  after("stop Envoy", () => state.now?.stop());
  return state;
}
