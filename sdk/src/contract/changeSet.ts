/** Most objects of a change set: a set is read as a whole. */
export const MAX_SET_OBJECTS = 5_000;
