import { setFlagsFromString } from "node:v8";

/** Sets flags of V8. Returns a function that sets them to what they are otherwise. */
function switched(flags: Readonly<Record<string, string>>): () => void {
  for (const flag of Object.keys(flags)) setFlagsFromString(flag);
  return () => {
    for (const flag of Object.values(flags)) setFlagsFromString(flag);
  };
}

const SMALL = { "--semi-space-growth-factor=1": "--semi-space-growth-factor=2" } as const;
const LOADING = {
  ...SMALL,
  "--memory-saver-mode": "--no-memory-saver-mode",
  // Machine code for what runs once, and the compilers that make it, only take room.
  "--no-sparkplug": "--sparkplug",
  "--no-maglev": "--maglev",
  "--no-turbofan": "--turbofan",
} as const;

/**
 * Keeps the space of young objects small while something is made that stays: V8 gives back none of the 64 MiB
 * to which it grows meanwhile. Returns a function that lets it grow with the load.
 */
export const limitYoungGeneration = (): (() => void) => switched(SMALL);

/**
 * Has V8 care for memory while a program loads, because what a start takes is never given back: 25 of 130 MiB
 * stay free (2026-11-29, Node 24). Call it before anything large is loaded. Returns a function that has V8
 * care for speed, for when there is work.
 */
export const loadInLittleMemory = (): (() => void) => switched(LOADING);
