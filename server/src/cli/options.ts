import { InvalidArgumentError, Option } from "commander";

/** Which database a command is about: the same for all of them. */
export const databaseOptions = (): Option[] => [
  new Option("--data <folder>", "where to keep everything").env("TUNNELPLANE_DATA").default("./.tunnelplane"),
  new Option(
    "--database-url <url>",
    "keep everything in this PostgreSQL database instead: postgres://user:password@host:5432/database",
  ).env("TUNNELPLANE_DATABASE_URL"),
];

/** Where the master key is, for commands that open what is sealed. */
export const masterKeyOption = (): Option =>
  new Option(
    "--master-key-file <file>",
    "the master key that secrets are sealed under; made on the first start (default: master.key in the data folder)",
  ).env("TUNNELPLANE_MASTER_KEY_FILE");

/** Reads a whole number from a command line. */
export const wholeNumber =
  (least: number, most: number) =>
  (text: string): number => {
    const number = Number(text);
    if (/^\d+$/.test(text) && number >= least && number <= most) return number;
    throw new InvalidArgumentError(`Expected a whole number from ${least} to ${most}.`);
  };
