/** A text in lines of at most 120 columns, as in all pages. */
export const wrapped = (text: string): string => text.replace(/(.{1,120})(?:\s+|$)/g, "$1\n").trimEnd();
