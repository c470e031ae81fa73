/** The work around the lifecycle that every host shares while it serves one operation of the engine. */

export { nameIn } from "../core";
export {
  ACCOUNT_API_KEY,
  ACCOUNT_BASE_URL,
  ACCOUNT_PROJECT,
  ACCOUNT_VALIDATE_ON_SERVER,
  type ConfigLookup,
  resolveSettings,
  type Settings,
} from "./accountSettings";
export { describe } from "./describe";
export { type Host, Operation } from "./operation";
export { isPartly, PartialFailure, partialFailureIn } from "./partial";
export { type RecordedResource, stateBackend } from "./stateBackend";
export { Steps } from "./steps";
export { belongsTogether } from "./whole";
