import { Trial } from "../../gateway/dist/trial/trial";
import { ENVOY } from "./envoy";

/** An Envoy for a test file, on which worlds are tried. Skips the file, and says so, if there is no Envoy. */
export function trialOfThisFile(): { readonly now: Trial } {
  const state = {} as { now: Trial };
  before("start Envoy", async function () {
    if (!ENVOY) {
      console.log("    Skipped: Envoy could not be installed, because Python 3 with venv is missing");
      return this.skip();
    }
    state.now = await Trial.start(ENVOY);
  });
  after("stop Envoy", () => state.now?.stop());
  return state;
}
