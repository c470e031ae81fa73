import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { program } from "../../server/src/cli/program";
import { DATABASE_SETTINGS, SERVE_SETTINGS } from "../../server/src/cli/settings";
import { sharedPostgres, tablesIn } from "../support/databases";
import { newFolder } from "../support/folder";
import { command, type Ended, endOf, MASTER_KEY, ServerProcess } from "../support/server";

type Command = ReturnType<typeof program>;
type Option = Command["options"][number];

/** Two values of each form that settings have; the first one that an option takes is tried. */
const FORMS = [
  ["one", "two"],
  ["3", "4"],
  ["true", "false"],
  ["10.0.0.1", "10.0.0.2"],
  ["one.example.com", "two.example.com"],
  ["20000-20001", "20002-20003"],
  ["sts=https://one.example.com", "sts=https://two.example.com"],
  ["https://one.example.com", "https://two.example.com"],
] as const;

function valuesFor({ parseArg, argChoices }: Option): readonly [string, string] {
  if (argChoices) return [argChoices[0] ?? "", argChoices[1] ?? ""];
  const isTaken = (text: string) => {
    try {
      parseArg?.(text, undefined as never);
      return true;
    } catch {
      return false;
    }
  };
  return FORMS.find(([one]) => isTaken(one)) ?? FORMS[0];
}

const leavesOf = (all: Command, path: readonly string[] = []): [string[], Command][] =>
  all.commands.length === 0
    ? [[[...path], all]]
    : all.commands.flatMap((one) => leavesOf(one, [...path, one.name()]));

async function optionsOf(
  path: readonly string[],
  args: readonly string[],
  env: Record<string, string>,
): Promise<Record<string, unknown>> {
  const all = program();
  const leaf = leavesOf(all).find(([at]) => at.join() === path.join())?.[1] as Command;
  let found: Record<string, unknown> = {};
  leaf.action(() => {
    found = { ...leaf.optsWithGlobals() };
  });
  const given = leaf.registeredArguments.map(({ argChoices }) => argChoices?.[0] ?? "tls-edges");
  const needed = leaf.options.flatMap(({ mandatory, long, defaultValue }) =>
    mandatory && defaultValue === undefined ? [long ?? "", long === "--before" ? "2026-01-01" : "x"] : [],
  );
  const before = { ...process.env };
  for (const { env: name } of SERVE_SETTINGS) delete process.env[name];
  Object.assign(process.env, env);
  try {
    await all.parseAsync([...path, ...given, ...needed, ...args], { from: "user" });
  } finally {
    for (const name of [...Object.keys(env), ...SERVE_SETTINGS.map((one) => one.env)])
      delete process.env[name];
    Object.assign(process.env, before);
  }
  return found;
}

describe("A flag wins over the environment", () => {
  for (const [path, leaf] of leavesOf(program())) {
    const settings = leaf.options.filter(({ envVar }) => envVar !== undefined);
    if (settings.length === 0) continue;
    it(`in ${path.join(" ")}: ${settings.map(({ long }) => long).join(", ")}`, async () => {
      for (const option of settings) {
        const { long = "", envVar = "" } = option;
        const name = option.attributeName();
        if (option.isBoolean()) {
          expect((await optionsOf(path, [long], {}))[name], long).to.equal(true);
          continue;
        }
        const [one, two] = valuesFor(option);
        const [ofEnvironment, ofFlag] = [
          await optionsOf(path, [], { [envVar]: one }),
          await optionsOf(path, [long, two], {}),
        ];
        expect(ofEnvironment[name], envVar).not.to.deep.equal(ofFlag[name]);
        expect((await optionsOf(path, [long, two], { [envVar]: one }))[name], long).to.deep.equal(
          ofFlag[name],
        );
      }
    });
  }

  it("for every setting that has a flag", () => {
    const tried = leavesOf(program()).flatMap(([, { options }]) => options.map(({ envVar }) => envVar));
    for (const { flag, env } of SERVE_SETTINGS) if (flag !== undefined) expect(tried).to.include(env);
  });

  it("a switch may be off in the environment, and is on or off as a flag says", async () => {
    const switches = SERVE_SETTINGS.filter(({ flag }) => flag !== undefined && !/[<[]/.test(flag));
    expect(switches).not.to.deep.equal([]);
    for (const { flag = "", env } of switches) {
      const name = flag.replace(/^--/, "").replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
      const read = async (args: string[], text?: string) =>
        (await optionsOf(["serve"], args, text === undefined ? {} : { [env]: text }))[name] ?? false;
      for (const text of ["false", "0", ""]) expect(await read([], text), `${env}=${text}`).to.equal(false);
      for (const text of ["true", "1"]) expect(await read([], text), `${env}=${text}`).to.equal(true);
      expect([
        await read([]),
        await read([flag]),
        await read([flag], "false"),
        await read([`${flag}=false`], "true"),
      ]).to.deep.equal([false, true, true, false]);
    }
  });

  it("also where both name the database in different ways: every command but serve works on the folder of --data", async () => {
    const database = DATABASE_SETTINGS.map(({ env }) => env);
    const url = { TUNNELPLANE_DATABASE_URL: "postgres://127.0.0.1:9/none" };
    for (const [path, leaf] of leavesOf(program())) {
      if (!database.every((env) => leaf.options.some(({ envVar }) => envVar === env))) continue;
      const { databaseUrl } = await optionsOf(path, ["--data", "folder"], url);
      expect(databaseUrl, path.join(" ")).to.equal(
        ["serve", "health"].includes(path[0] ?? "") ? url.TUNNELPLANE_DATABASE_URL : undefined,
      );
      const both = await optionsOf(path, ["--data", "folder", "--database-url", "postgres://two"], url);
      expect(both, path.join(" ")).to.include({ data: "folder", databaseUrl: "postgres://two" });
      expect((await optionsOf(path, [], url)).databaseUrl).to.equal(url.TUNNELPLANE_DATABASE_URL);
    }
  });

  describe("with real databases:", () => {
    const folder = newFolder();
    const within = (
      data: string,
      args: readonly string[],
      env: Record<string, string | undefined> = {},
    ): Promise<Ended> => endOf(command(data, args, env));

    it("serve --data names the folder of the master key beside the PostgreSQL of the environment", async () => {
      const [url, keys] = [await (await sharedPostgres()).newDatabase(), join(folder, "keys")];
      const server = await ServerProcess.start({
        data: url,
        args: ["--data", keys],
        env: { TUNNELPLANE_MASTER_KEY: undefined },
      });
      await server.stop();
      expect(server.printed).to.match(/data in PostgreSQL|data in .*127\.0\.0\.1/);
      expect(await tablesIn(url)).to.include("resource");
      expect(readFileSync(join(keys, "master.key"), "utf8")).to.have.length.above(40);
      expect(existsSync(join(keys, "tunnelplane.db"))).to.equal(false);
    });

    it("--master-key-file is the key that is used, whatever TUNNELPLANE_MASTER_KEY says", async () => {
      const data = join(folder, "sealed");
      await (await ServerProcess.start({ data, env: { TUNNELPLANE_MASTER_KEY: undefined } })).stop();
      const rotate = (...more: string[]) =>
        within(data, ["keys", "rotate", ...more], { TUNNELPLANE_MASTER_KEY: MASTER_KEY });
      expect((await rotate()).err).to.contain("sealed under another master key");
      expect((await rotate("--master-key-file", join(data, "master.key"))).code).to.equal(0);
    });
  });
});
