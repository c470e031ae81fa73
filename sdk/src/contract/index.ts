export * from "./core/convert";
export * from "./core/definition";
export { bare, defaultOf, isOptional, type Marks, marksOf, type Problem } from "./core/marks";
export * from "./core/module";
export * from "./core/names";
export * from "./core/shape";
export * from "./core/validate";
export * from "./errors";
export * from "./registry";
