/** Names that every object of JavaScript has, so that tables which users fill are easily asked for them. */
export const INHERITED: readonly string[] = Object.getOwnPropertyNames(Object.prototype);
