/** The commands, for a program that has others beside them. */
export { adoptCommand } from "./adopt";
export { askCommand } from "./ask";
export { reviewCommand } from "./review";
export { secretsCommand } from "./secrets";
