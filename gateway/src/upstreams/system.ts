import { readFileSync, statSync } from "node:fs";
import { isIP } from "node:net";

const HOSTS = "/etc/hosts";
const RESOLVER = "/etc/resolv.conf";
/** The number of suffixes that the C library takes from `search`. */
const MAX_SUFFIXES = 6;
/** A list of blocked names has some MiB. */
const MAX_LENGTH = 8_388_608;
const MAX_NAME_LENGTH = 253;

/** The settings for names in the files of a system. */
interface Files {
  readonly hosts: ReadonlyMap<string, readonly string[]>;
  readonly suffixes: readonly string[];
  /** A name with fewer dots is tried with the suffixes first. */
  readonly dots: number;
}

let read: { readonly version: string; readonly files: Files } | undefined;

/** Addresses that are known without DNS: those of this machine (RFC 6761) and of /etc/hosts. */
export function addressesHere(name: string): readonly string[] {
  const small = name.toLowerCase();
  return /(^|\.)localhost$/.test(small) ? ["127.0.0.1", "::1"] : (files().hosts.get(small) ?? []);
}

/** The names to ask for, in order: as /etc/resolv.conf says, a short one is completed. */
export function candidatesFor(name: string): readonly string[] {
  const { suffixes, dots } = files();
  const completed = suffixes.map((suffix) => `${name}.${suffix}`);
  const all = name.split(".").length - 1 >= dots ? [name, ...completed] : [...completed, name];
  return all.filter((one) => one.length <= MAX_NAME_LENGTH);
}

/** Read again when they changed. */
function files(): Files {
  const version = [HOSTS, RESOLVER].map(versionOf).join();
  if (read?.version !== version)
    read = { version, files: { hosts: readHosts(textOf(HOSTS)), ...readResolver(textOf(RESOLVER)) } };
  return read.files;
}

function versionOf(path: string): string {
  try {
    const { mtimeMs, ino, size } = statSync(path);
    return `${mtimeMs} ${ino} ${size}`;
  } catch {
    return ""; // Not there, or not for us.
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8").slice(0, MAX_LENGTH);
  } catch {
    return "";
  }
}

const linesOf = (text: string): string[][] =>
  text.split("\n").map((line) =>
    line
      .replace(/[#;].*$/, "")
      .trim()
      .split(/\s+/),
  );

function readHosts(text: string): ReadonlyMap<string, readonly string[]> {
  const hosts = new Map<string, string[]>();
  for (const [address = "", ...names] of linesOf(text)) {
    if (!isIP(address)) continue;
    for (const name of names.map((one) => one.toLowerCase()))
      hosts.set(name, [...(hosts.get(name) ?? []), address]);
  }
  return hosts;
}

function readResolver(text: string): Pick<Files, "suffixes" | "dots"> {
  let [suffixes, dots]: [readonly string[], number] = [[], 1];
  for (const [word, ...values] of linesOf(text)) {
    if (word === "search" || word === "domain")
      suffixes = values.map((one) => one.replace(/\.$/, "")).filter((one) => one !== "");
    if (word === "options")
      dots = Number(values.flatMap((one) => /^ndots:(\d+)$/.exec(one)?.[1] ?? []).at(-1) ?? dots);
  }
  return { suffixes: suffixes.slice(0, MAX_SUFFIXES), dots };
}
