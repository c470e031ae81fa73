/** Finds objects by any part of their texts. Other rooms import from here only. */

export { LONGEST_SEARCH, Search, USUAL_FOUND } from "./search";
