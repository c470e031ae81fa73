import { switchReader } from "@tunnelplane/sdk/node";
import { type Command, InvalidArgumentError, Option } from "commander";
import ipaddr from "ipaddr.js";
import type { PortRange } from "../start";

/**
 * One setting of the server. Its flag, environment variable, `--help` and the page of settings come from
 * here.
 */
export interface Setting {
  /**
   * In commander's form, for example `--listen <host:port>`. A setting without a flag comes from the
   * environment only.
   */
  readonly flag?: string;
  readonly env: string;
  /** Its description, without a full stop. */
  readonly text: string;
  readonly default?: string | number | boolean;
  /** What is the default, where it is not one value. */
  readonly defaultText?: string;
  /** Link to more documentation, relative to the README. */
  readonly more?: string;
  readonly choices?: readonly string[];
  /**
   * Environment variables of other settings over which its flag wins, because they set the same thing in
   * another way.
   */
  readonly beats?: readonly string[];
  parse?(text: string, before: unknown): unknown;
}

/**
 * Gives a command its settings. A flag wins over the environment, also over variables of settings that it
 * {@link Setting.beats}.
 */
export function withSettings(command: Command, settings: readonly Setting[]): Command {
  for (const option of optionsOf(settings)) command.addOption(option);
  return command.hook("preAction", (_, called) => {
    const isGiven = ({ flag }: Setting) =>
      flag !== undefined && called.getOptionValueSource(new Option(flag).attributeName()) === "cli";
    for (const env of settings.filter(isGiven).flatMap(({ beats = [] }) => beats)) {
      delete process.env[env];
      const beaten = called.options.find(({ envVar }) => envVar === env)?.attributeName();
      if (beaten !== undefined && called.getOptionValueSource(beaten) === "env")
        called.setOptionValueWithSource(beaten, undefined, "default");
    }
  });
}

const optionsOf = (settings: readonly Setting[]): Option[] =>
  settings.flatMap((setting) => {
    if (setting.flag === undefined) return [];
    const isSwitch = !/[<[]/.test(setting.flag);
    const option = new Option(isSwitch ? `${setting.flag} [boolean]` : setting.flag, setting.text).env(
      setting.env,
    );
    if (isSwitch) option.preset("true").argParser(switchReader(InvalidArgumentError));
    if (setting.default !== undefined) option.default(setting.default);
    if (setting.choices) option.choices(setting.choices);
    if (setting.parse) option.argParser(setting.parse);
    return [option];
  });

/** The part of `--help` about settings that come from the environment only. */
export function environmentHelp(settings: readonly Setting[]): string {
  const rows = settings.filter(({ flag }) => flag === undefined);
  const width = Math.max(...rows.map(({ env }) => env.length));
  return `\nEnvironment:\n${rows.map(({ env, text }) => `  ${env.padEnd(width)}  ${text}`).join("\n")}`;
}

/** Reads a whole number from a command line. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (/^\d+$/.test(text) && number >= least && number <= most) return number;
    throw new InvalidArgumentError(`Expected a whole number from ${least} to ${most}.`);
  };
}

export function host(text: string): string {
  if (ipaddr.isValid(text)) return text.includes(":") ? `[${text}]` : text;
  return domain(text);
}

export function portRange(text: string): PortRange {
  const [, first = "", last = ""] = /^([1-9]\d{0,4})-([1-9]\d{0,4})$/.exec(text) ?? [];
  const range = { first: Number(first), last: Number(last) };
  if (first !== "" && range.first <= range.last && range.last <= 65_535) return range;
  throw new InvalidArgumentError('Expected two ports, the lower one first, for example "20000-29999".');
}

export function domain(text: string): string {
  const { isDomain }: typeof import("@tunnelplane/sdk/contract") = require("@tunnelplane/sdk/contract");
  if (isDomain(text)) return text;
  throw new InvalidArgumentError('Expected a domain name, for example "tunnels.example.com".');
}

export function proxies(text: string): string {
  const isOne = (entry: string) => entry === "loopback" || ipaddr.isValid(entry) || ipaddr.isValidCIDR(entry);
  if (text.split(",").every((entry) => isOne(entry.trim()))) return text;
  throw new InvalidArgumentError(
    'Expected addresses and networks with commas between, for example "10.0.0.7,192.168.0.0/16", or "loopback".',
  );
}
