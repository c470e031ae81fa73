/** Commands with which people look at what a server holds, and names that they share with others. */
export { describeCommand } from "./describe";
export { diffCommand } from "./diff";
export { explainCommand } from "./explain";
export { KIND_NAMES } from "./kinds";
export { found, namesOf, objectsOf, type Stored } from "./objects";
export { getCommand, listCommand } from "./read";
