import { expect } from "chai";
import { runOn } from "../../support/commandLine";
import { execute, rowsIn, type Start, settled } from "../../support/databases";
import { Rest } from "../../support/rest";
import { created } from "../canaries";

const isUrl = (data: string) => data.startsWith("postgres:");

/** The first step of an attacker who may change tables: removes the trigger that protects the log. */
export const unguard = (data: string): Promise<void> =>
  execute(
    data,
    isUrl(data)
      ? "alter table audit_event disable trigger all"
      : "drop trigger if exists audit_event_no_update; drop trigger if exists audit_event_no_delete",
  );

export const literal = (text: unknown): string => `'${String(text).replaceAll("'", "''")}'`;
export const countIn = async (data: string, table: string): Promise<number> =>
  Number(((await rowsIn(data, `select count(*) as count from ${table}`)) as { count: number }[])[0]?.count);
export const headOf = async (data: string): Promise<{ sequence: number; hash: string; mac: string }> => {
  await settled(data);
  const [head] = (await rowsIn(data, "select * from audit_head")) as {
    sequence: number;
    hash: string;
    mac: string;
  }[];
  return { ...(head as { sequence: number; hash: string; mac: string }), sequence: Number(head?.sequence) };
};
export const expectWhole = async (data: string, ...args: string[]): Promise<string> => {
  const { code, out, err } = await runOn(data, "audit", "verify", ...args);
  expect(code, err).to.equal(0);
  return out;
};

export const expectFound = async (data: string, words: string, ...args: string[]): Promise<void> => {
  const { code, out, err } = await runOn(data, "audit", "verify", ...args);
  expect(code, out).to.equal(1);
  expect(err).to.include(words);
};

/** Starts a server, changes some objects through it, and stops it. */
export async function served(start: Start, data: string): Promise<void> {
  const server = await start({ data });
  const rest = new Rest(server.url, server.apiKey);
  for (let index = 0; index < 3; index++) await created(rest, "/ip_policies", {});
  await server.stop();
}
