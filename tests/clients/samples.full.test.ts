import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Rest } from "../support/rest";
import { ServerProcess } from "../support/server";
import { runIn, tool, workshop } from "./support";

type Sample = { readonly id: string; readonly label: string; readonly source: string };
const LABELS = ["curl", "Python", "TypeScript"];
const PYTHON = "python3";
const HAS_PYTHON = spawnSync(PYTHON, ["--version"]).status === 0;

describe("The code samples in /openapi.json", () => {
  let server: ServerProcess;
  let rest: Rest;
  let samples: Sample[];
  let ids: string[];
  before(async () => {
    server = await ServerProcess.start();
    rest = server.rest;
    const { paths } = (await (await fetch(`${server.url}/openapi.json`)).json()) as {
      paths: Record<string, Record<string, { operationId: string; "x-codeSamples": Sample[] }>>;
    };
    const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
    ids = operations.map(({ operationId }) => operationId);
    samples = operations.flatMap((operation) =>
      operation["x-codeSamples"].map((sample) => ({ ...sample, id: operation.operationId })),
    );
  });

  const withLabel = (label: string): Sample[] => samples.filter((sample) => sample.label === label);
  const sourceOf = (id: string, label: string): string =>
    samples.find((sample) => sample.id === id && sample.label === label)?.source ?? "";

  it("show every operation with curl, in Python and in TypeScript", () => {
    for (const label of LABELS) expect(withLabel(label).map(({ id }) => id)).to.deep.equal(ids);
  });

  it("compile in TypeScript, strictly, with the client as it is", async () => {
    const folder = workshop("samples");
    writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
    const files = withLabel("TypeScript").map(({ id, source }) => {
      writeFileSync(join(folder, `${id}.ts`), source);
      return `${id}.ts`;
    });
    const options = ["--strict", "--target", "es2023", "--module", "nodenext", "--skipLibCheck"];
    const more = ["--types", "node", "--moduleDetection", "force", "--noEmit", "--ignoreConfig"];
    await runIn(folder, tool("tsc"), [...options, ...more, ...files]);
  });

  it("use a call of the client for every object of a type, its modules and its entries", () => {
    const plain = withLabel("TypeScript").filter(({ source }) => source.includes("api.transport.request"));
    expect(plain.map(({ id }) => id))
      .to.include("listReferences")
      .and.not.include("createTlsEdge");
    expect(plain.filter(({ id }) => /Edge|Backend|Credential|Policy|Subscription/.test(id))).to.deep.equal(
      [],
    );
  });

  it("are programs that Python can read", async function () {
    if (!HAS_PYTHON) return this.skip();
    const folder = workshop("samplesRead");
    const python = withLabel("Python").map(({ id, source }) => {
      writeFileSync(join(folder, `${id}.py`), source);
      return `${id}.py`;
    });
    await runIn(folder, PYTHON, ["-m", "py_compile", ...python]);
  });

  it("are command lines that a shell can read", async () => {
    const folder = workshop("samplesShell");
    writeFileSync(
      join(folder, "all.sh"),
      withLabel("curl")
        .map(({ source }) => source)
        .join("\n"),
    );
    await runIn(folder, "sh", ["-n", "all.sh"]);
  });

  describe("do on a server what they say:", () => {
    for (const label of LABELS)
      it(`${label} creates, reads, lists, changes and deletes an IP policy, and asks for a decision`, async function () {
        if (label === "Python" && !HAS_PYTHON) return this.skip();
        const folder = workshop(`samples${label}`);
        writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
        const run = (id: string, real = "") => start(folder, label, withId(sourceOf(id, label), real));
        await run("createIpPolicy");
        const { body } = await rest.get("/ip_policies?limit=1");
        const [{ id }] = body.ip_policies as [{ id: string }];
        expect(await run("getIpPolicy", id)).to.contain(id);
        expect(await run("listIpPolicies")).to.contain(id);
        await run("updateIpPolicy", id);
        expect(await run("createExposureDecisions")).to.contain("closed");
        await run("deleteIpPolicy", id);
        expect((await rest.get(`/ip_policies/${id}`)).status).to.equal(404);
      });
  });

  /** With the id of a real object where the sample has one that it made up. */
  const withId = (source: string, id: string): string => (id ? source.replace(/ipp_2\w{26}/, id) : source);
  async function start(folder: string, label: string, source: string): Promise<string> {
    const [file, program, ...args] =
      { curl: ["run.sh", "sh"], Python: ["run.py", PYTHON], TypeScript: ["run.ts", process.execPath] }[
        label
      ] ?? [];
    writeFileSync(join(folder, String(file)), source);
    return runIn(folder, String(program), [...args, String(file)], {
      TUNNELPLANE_BASE_URL: server.url,
      TUNNELPLANE_API_KEY: server.apiKey,
    });
  }
});
