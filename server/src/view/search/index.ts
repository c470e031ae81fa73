/** Finds objects by any part of their texts. Other rooms import from here only. */

export { MAX_SEARCH_LENGTH, Search, USUAL_FOUND } from "./search";
