export { bootstrap } from "./envoy/listeners";
export * from "./envoy/model";
export { translate } from "./envoy/translate";
