import { copyFileSync, existsSync, readFileSync, rmSync } from "node:fs";
import type { OutputMap, OutputValue } from "@pulumi/pulumi/automation";
import { decrypted } from "./keyService";

export interface Recorded {
  readonly urn: string;
  readonly type: string;
  readonly id: string;
  readonly inputs: Record<string, unknown>;
  readonly outputs: Record<string, unknown>;
}

/** A resource in the file of a stack's state, which may be edited. */
export interface Stored {
  readonly urn: string;
  readonly inputs?: Record<string, unknown>;
  readonly outputs?: Record<string, unknown>;
  taint?: boolean;
}

/** What the file of a stack's state holds of its last run. */
export type State = { readonly resources?: Recorded[]; readonly pending_operations?: unknown[] };
/** The types of both of our providers, also in a URN. */
export const OURS = /(^|[:$])(pulumi-nodejs:dynamic\/tunnelplane|tunnelplane:index):/;

/** Our resources, by their URNs, without the text of secrets. */
export function resourcesIn(state: State | undefined): Recorded[] {
  const all = JSON.parse(JSON.stringify(state?.resources ?? [], withoutSecrets)) as Recorded[];
  return all
    .filter(({ type }) => OURS.test(type))
    .map(({ urn, type, id, inputs, outputs }) => ({ urn, type, id, inputs, outputs }))
    .sort((a, b) => (a.urn < b.urn ? -1 : 1));
}

export function outputsIn(state: State | undefined): OutputMap {
  const stack = state?.resources?.find(({ type }) => type === "pulumi:pulumi:Stack");
  return Object.fromEntries(
    Object.entries(stack?.outputs ?? {}).map(([name, stored]) => [name, outputOf(stored)]),
  );
}

/** Mends what a kill leaves half written, as a user does: the backup for the state, no attributes. */
export function restoreTorn(file: string): void {
  const backup = `${file}.bak`;
  if (isTorn(file)) copyFileSync(backup, file);
  for (const attributes of [file, backup].map((one) => `${one}.attrs`))
    if (existsSync(attributes) && isTorn(attributes)) rmSync(attributes);
}

function isTorn(file: string): boolean {
  try {
    JSON.parse(readFileSync(file, "utf8"));
    return false;
  } catch {
    return true;
  }
}

/** Leaves the text of secrets out, which the engine encrypts anew each time. */
const withoutSecrets = (name: string, value: unknown) => (name === "ciphertext" ? "" : value);

/** An output as the state has it. */
const outputOf = (stored: unknown): OutputValue => ({
  value: JSON.parse(JSON.stringify(stored), inClear),
  secret: ciphertextOf(stored) !== undefined,
});

/** The engine keeps a secret as JSON that it encrypted. */
function inClear(_name: string, value: unknown): unknown {
  const ciphertext = ciphertextOf(value);
  return ciphertext === undefined ? value : JSON.parse(decrypted(ciphertext));
}

const ciphertextOf = (value: unknown) => (value as { ciphertext?: string } | null | undefined)?.ciphertext;
