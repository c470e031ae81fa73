import * as pulumi from "@pulumi/pulumi";
import { UNKNOWN } from "@tunnelplane/sdk/node";
import type * as LifecycleModule from "../core/lifecycle";
import type * as TargetModule from "../core/target";

const isUnknown = (value: unknown): boolean => value === UNKNOWN;

/** Further mistakes are only counted. */
const MAX_MISTAKES = 50;

/**
 * The mistakes in the resources of each run, by resource; the Automation API may have several runs at once.
 */
const ofRuns = new WeakMap<object, Map<string, readonly string[]>>();

/** The mistakes of the other resources of a program, once all are declared. */
export type OtherMistakes = () => string[];

/**
 * In a preview: looks for mistakes as far as values are known here. The engine ends a program at the first
 * resource that the provider refuses, so the message about that resource lists the mistakes of the others as
 * well.
 *
 * @returns undefined if the resource has no mistake
 */
export function mistakesBeside(kind: string, title: string, args: object): OtherMistakes | undefined {
  const run = pulumi.runtime.isDryRun() ? pulumi.runtime.getStackResource() : undefined;
  const own = run && mistakesIn(kind, args);
  if (!own || own.length === 0) return undefined;
  const all = ofRuns.get(run) ?? new Map<string, readonly string[]>();
  ofRuns.set(run, all.set(title, own));
  return () => {
    const others = [...all].flatMap(([of, mistakes]) =>
      of === title ? [] : mistakes.map((mistake) => `besides, in ${of}: ${mistake}`),
    );
    const more = others.length - MAX_MISTAKES;
    return more > 0
      ? [...others.slice(0, MAX_MISTAKES), `besides, ${more} more mistakes in this program`]
      : others;
  };
}

function mistakesIn(kind: string, args: object): readonly string[] {
  // Loaded in previews only: contract and checks would slow the start of runs.
  const { Lifecycle }: typeof LifecycleModule = require("../core/lifecycle");
  const { targetOf }: typeof TargetModule = require("../core/target");
  try {
    return new Lifecycle(targetOf(kind)).check({}, known(args) as Record<string, unknown>, isUnknown)
      .problems;
  } catch {
    return []; // the provider will report it
  }
}

/** The part of a value that is known without waiting. */
function known(value: unknown): unknown {
  if (pulumi.Output.isInstance(value) || value instanceof Promise) return UNKNOWN;
  if (Array.isArray(value)) return value.map(known);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, known(item)]));
}
