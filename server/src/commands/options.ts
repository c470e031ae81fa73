import { InvalidArgumentError, Option } from "commander";

/** Which database a command is about: the same for all of them. */
export const databaseOptions = (): Option[] => [
  new Option("--data <folder>", "where to keep everything").env("TUNNELPLANE_DATA").default("./.tunnelplane"),
  new Option(
    "--database-url <url>",
    "keep everything in this PostgreSQL database instead: postgres://user:password@host:5432/database",
  ).env("TUNNELPLANE_DATABASE_URL"),
];

/** Reads a whole number from a command line. */
export const wholeNumber =
  (least: number, most: number) =>
  (text: string): number => {
    const number = Number(text);
    if (/^\d+$/.test(text) && number >= least && number <= most) return number;
    throw new InvalidArgumentError(`Expected a whole number from ${least} to ${most}.`);
  };
