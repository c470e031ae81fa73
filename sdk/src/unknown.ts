/** How the engine writes a value, of whatever type was declared, that a preview does not know yet. */
export const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
