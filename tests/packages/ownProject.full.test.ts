import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ENVOY } from "../support/envoy";
import { followed, type Shell, type Step, stepsOf, typed } from "../support/literally";
import { OwnProjects } from "../support/ownProjects";
import { Rest } from "../support/rest";
import { ServerProcess } from "../support/server";

const ROOT = join(__dirname, "../..");
const { licencesIn, sbomOf, unacceptedIn } = require("../../tools/scripts/licences.cjs") as {
  sbomOf(folder: string): unknown;
  licencesIn(sbom: unknown): { name: string; licence: string }[];
  unacceptedIn(licences: unknown): unknown[];
};

const STORE = join(ROOT, "node_modules/.tunnelplane/pnpm");
/** Has ts-node check no types: the repository's check does, and `npx tsc` for the template's programs. */
const UNCHECKED = { PULUMI_NODEJS_TRANSPILE_ONLY: "true" };

/** The template's choices: how modules are written, and who runs TypeScript. */
const CHOICES = {
  "an ES module that ts-node runs": ["--ts-node"],
  "CommonJS that Node runs": ["--commonjs"],
  "CommonJS that ts-node runs": ["--commonjs", "--ts-node"],
};

/** The first steps in a project's README, for a program that needs files of the reader's own. */
const BEGIN = [
  "export TUNNELPLANE_API_KEY=tpk_… PULUMI_CONFIG_PASSPHRASE=…",
  "pulumi login --local && pulumi stack init dev",
  "cp ../clone/program.ts index.ts",
  "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 9 -keyout ca.key -out clients-ca.pem -subj /CN=clients",
  "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 9 -keyout client.key -out client.pem -subj /CN=ada -CA clients-ca.pem -CAkey ca.key",
  "ssh-keygen -q -t ed25519 -N '' -f agent",
];
const GATEWAY = `TUNNELPLANE_ENVOY=${ENVOY} npx --no tunnelplane gateway --dev-ca --listen 443=127.0.0.1:8443 --ssh-listen 127.0.0.1:2222 # leave it running`;

/** Steps that the README has the reader take before a command, and the places of the reader's machines. */
const BEHIND_THE_SCENES = {
  "pulumi preview --refresh --diff": [
    `EDGE=$(npx --no tunnelplane list tls-edges -o json | node -p 'JSON.parse(require("fs").readFileSync(0)).at(-1).id')`,
    `curl -sf -o /dev/null -X PUT "$TUNNELPLANE_BASE_URL/edges/tls/$EDGE/tls_termination" -H "Authorization: Bearer $TUNNELPLANE_API_KEY" -H "Service-Version: 2" -H "Content-Type: application/json" -d '{"min_version": "1.2"}'`,
    "pulumi preview --refresh --diff",
  ].join("\n"),
  "pulumi preview --json": "sed -i /mutualTls/d index.ts; pulumi preview --json",
  // It ends with 2 because of a finding of high severity.
  "review preview.json": "review preview.json || true",
  "pulumi preview --diff":
    "cp ../clone/program.ts index.ts; sed -i s/bind:service=web/bind:/ index.ts; pulumi preview --diff || true",
  "agent@gateway.example.com": "-i agent -o IdentitiesOnly=yes agent@127.0.0.1",
  "localhost:8080": "localhost:8000",
  "curl --cert":
    "curl --cacert .tunnelplane-gateway/dev-ca.pem --connect-to app.example.com:443:127.0.0.1:8443 --cert",
  "ssh -N": "python3 -m http.server 8000 >/dev/null 2>&1 & ssh -N",
};

/** A reader looks at the other terminal before going on. */
const IN_TURN = {
  ". .tunnelplane/dev/env": "printed '[.] [.]tunnelplane/dev/env' >/dev/null; . .tunnelplane/dev/env",
  "ssh -N -p $TUNNELPLANE_DEV_SSH_PORT": `ssh -F none -o UserKnownHostsFile="$HOME/known_hosts" -N -p $TUNNELPLANE_DEV_SSH_PORT`,
};
const ASKED_AGAIN = String.raw`curl --cacert .tunnelplane-gateway/dev-ca.pem --connect-to hello.example.com:443:$TUNNELPLANE_DEV_HTTPS -so /dev/null -w '%{http_code}\n' https://hello.example.com/`;
const UNTIL_REFUSED = {
  [ASKED_AGAIN]: `until ${ASKED_AGAIN.replace("curl", "curl -s")} | grep 403; do sleep 0.2; done`,
};
const UNTIL_ANSWERED = "curl -sf --retry 100 --retry-delay 1 --retry-all-errors --cacert";

describe("A project of one's own, outside of the repository, from packed tarballs", () => {
  let own: OwnProjects;
  before("pack, create a project as npm create does, and install it", async () => {
    own = await OwnProjects.start();
  });

  /** What a reader types who starts the server alone, without a gateway. */
  const SERVER_ALONE = {
    "npm run dev": "npm run serve",
    ". .tunnelplane/dev/env": "export TUNNELPLANE_API_KEY=tpk_… PULUMI_CONFIG_PASSPHRASE=…",
  };

  const shellWithoutGateway = async (folder: string, env: Shell["env"] = {}): Promise<Shell> => {
    const shell = await own.shellIn(folder, env);
    return { ...shell, replace: { ...SERVER_ALONE, ...shell.replace } };
  };

  const shellWithGateway = async (folder: string, env: Shell["env"] = {}): Promise<Shell> => {
    const shell = await own.shellIn(folder, { TUNNELPLANE_ENVOY: ENVOY, ...env });
    return {
      ...shell,
      replace: { ...IN_TURN, ...UNTIL_REFUSED, ...shell.replace, "curl --cacert": UNTIL_ANSWERED },
    };
  };

  /** The template's README, with a preview, which runs the whole program, in place of its deployment. */
  const untilPreview = (folder: string): Step[] => {
    const commands = stepsOf(join(folder, "README.md")).flatMap((step) => step.commands);
    return [{ commands: [...commands.slice(0, commands.indexOf("pulumi up")), "pulumi preview"], shown: [] }];
  };

  it("ends with a request through a tunnel by its README, and sees what that shows", async function () {
    if (!ENVOY) {
      console.log("      skipped: Envoy could not be installed, because Python 3 with venv is missing");
      return this.skip();
    }
    const folder = await own.project("own");
    const printed = await followed(stepsOf(join(folder, "README.md")), await shellWithGateway(folder));
    expect(printed).to.contain("hello from behind the tunnel").and.to.contain("- 4 deleted");
  });

  for (const [title, options] of Object.entries(CHOICES))
    it(`runs as ${title}`, async () => {
      const folder = await own.project(title.toLowerCase().replaceAll(/\W+/g, "-"), ...options);
      const syntax = options.includes("--commonjs") ? "CommonJS" : "an ES module";
      const found = `\nconsole.log("This is " + (typeof module === "undefined" ? "an ES module" : "CommonJS"));\n`;
      appendFileSync(join(folder, "index.ts"), found);
      const steps = [...untilPreview(folder), { commands: ["npx tsc"], shown: [] }];
      const printed = await followed(steps, await shellWithoutGateway(folder, UNCHECKED));
      expect(printed)
        .to.contain(`This is ${syntax}`)
        .and.to.contain("+ 4 to create")
        .and.to.match(/authtoken\s*:/);
    });

  it("reports a mistake in its program, with the place and the cure, before anything is made", async () => {
    const folder = await own.project("mistaken");
    const program = join(folder, "index.ts");
    writeFileSync(program, readFileSync(program, "utf8").replace('"bind:service=web"', '"bind:"'));
    const failure = await followed(untilPreview(folder), await shellWithoutGateway(folder)).catch(
      ({ message }) => message as string,
    );
    expect(failure)
      .to.contain('acl[0] "bind:" does not say what may be bound: expected')
      .and.not.to.match(/\n\s+at .*dist/);
  });

  it("installs and runs with pnpm", async () => {
    const folder = await own.project("with-pnpm");
    const shell = await shellWithoutGateway(folder);
    const install = `npm exec --yes --package=pnpm@10 -- pnpm install --ignore-scripts --silent --store-dir "${STORE}"`;
    const printed = await followed(untilPreview(folder), {
      ...shell,
      replace: { ...shell.replace, "npm install": install },
    });
    expect(printed).to.contain("+ 4 to create");
  });

  it("has the name of its folder, also where it begins with an example", async () => {
    for (const options of [[], ["--example", "mutual-tls"]]) {
      const name = `named-${options.length}`;
      const folder = await own.project(name, ...options);
      expect(JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))).to.include({ name });
      expect(readFileSync(join(folder, "Pulumi.yaml"), "utf8")).to.match(new RegExp(`^name: ${name}$`, "m"));
    }
  });

  it("has a complete pipeline where it is asked for, also later, and never in the place of another", async () => {
    const folder = await own.project("piped", "--ci", "github");
    const workflow = join(folder, ".github/workflows/tunnels.yml");
    expect(readFileSync(workflow, "utf8")).to.contain("tunnelplane/tunnelplane/action@v");
    expect(readFileSync(join(folder, "README.md"), "utf8"))
      .to.contain("It is in `.github/workflows/tunnels.yml`")
      .and.not.to.contain("--ci github");
    const create = `node "${join(own.folder, "create", "create.cjs")}" .`;
    const shell = await own.shellIn(folder);
    expect(await typed([`${create} --ci gitlab`], shell)).to.contain("Wrote the pipeline .gitlab-ci.yml");
    expect(readFileSync(join(folder, ".gitlab-ci.yml"), "utf8")).to.contain("merge_request_event");
    const printed = await typed([`${create} --ci github || ${create} --ci jenkins || true`], shell);
    expect(printed).to.contain("is there already").and.to.contain("there are: github, gitlab");
  });

  it("has a README of its own where it begins with an example: nothing to make again, and no link that leads nowhere", async () => {
    for (const example of readdirSync(join(ROOT, "examples")).filter((name) =>
      existsSync(join(ROOT, "examples", name, "Pulumi.yaml")),
    )) {
      const folder = await own.project(`readme-of-${example}`, "--example", example);
      const text = readFileSync(join(folder, "README.md"), "utf8");
      expect(text)
        .to.contain("npm run dev")
        .and.not.to.match(/tunnelplane new|npm run new|cd my-tunnels/);
      const links = [...text.matchAll(/\]\((?!https:)([^)#]+)/g)].map(([, path = ""]) => path);
      expect(links.filter((path) => !existsSync(join(folder, path)))).to.deep.equal([]);
    }
  });

  it("begins from the same folder with pulumi new", async () => {
    const folder = join(own.folder, "by-pulumi");
    mkdirSync(folder);
    const commands = [
      `pulumi login --local`,
      `pulumi new "${own.template}" --name by-pulumi --description "Ours" --generate-only --yes`,
    ];
    await typed(commands, await own.shellIn(folder));
    expect(readFileSync(join(folder, "Pulumi.yaml"), "utf8")).to.contain(
      "name: by-pulumi\ndescription: Ours\n",
    );
    expect(JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))).to.include({
      name: "by-pulumi",
      type: "module",
    });
  });

  it("goes through the README to a request through a tunnel, and sees what it shows", async function () {
    if (!ENVOY) {
      console.log("      skipped: Envoy could not be installed, because Python 3 with venv is missing");
      return this.skip();
    }
    const page = join(ROOT, "README.md");
    const folder = own.emptyFolder("readme/clone");
    const [, program = ""] = /^```ts\n(.*?)^```/ms.exec(readFileSync(page, "utf8")) ?? [];
    writeFileSync(join(folder, "program.ts"), program);
    const shell = await own.shellIn(folder);
    const [create, ...ask] = stepsOf(page, "Use it in your own project");
    const steps = [
      create as Step,
      { commands: ["npm run serve # leave it running", ...BEGIN, "pulumi up", GATEWAY], shown: [] },
      ...ask,
      ...stepsOf(page, "What it looks like"),
    ];
    const printed = await followed(steps, { ...shell, replace: { ...BEHIND_THE_SCENES, ...shell.replace } });
    expect(printed).to.contain("Directory listing for /");
  });

  it("goes the whole tutorial, and sees what the tutorial shows", async () => {
    const folder = own.emptyFolder("tutorial");
    await followed(stepsOf(join(ROOT, "docs/tutorial.md")), await own.shellIn(folder));
  });

  const { examples } = require("../../create-tunnelplane/project.cjs") as { examples(): string[] };
  for (const example of examples())
    it(`follows the README of the example ${example}, and sees what that shows`, async function () {
      const folder = own.emptyFolder(example);
      const page = stepsOf(join(ROOT, "examples", example, "README.md"));
      if (example !== "first-tunnel") {
        await followed(page, await shellWithoutGateway(folder, UNCHECKED));
        return;
      }
      if (!ENVOY) {
        console.log("      skipped: Envoy could not be installed, because Python 3 with venv is missing");
        return this.skip();
      }
      await followed(page, await shellWithGateway(folder, UNCHECKED));
    });

  it("adopts what a server holds into a project that npm can install and compile", async () => {
    const server = await ServerProcess.start();
    await new Rest(server.url, server.apiKey).post("/edges/tls", { hostports: ["app.example.com:443"] });
    const commands = [
      `npx --no tunnelplane-pulumi adopt --url ${server.url} --out ../adopted`,
      "cd ../adopted",
      // Installing it all costs 31 s of processor time; npm adds what another project's packages lack in 1
      // s.
      `cp -al "${join(own.installed, "node_modules")}" .`,
      "npm install --no-audit --no-fund --loglevel=error",
      "npx tsc",
      "npx tunnelplane-pulumi --help",
    ];
    expect(
      await typed(commands, { folder: own.installed, env: { TUNNELPLANE_API_KEY: server.apiKey } }),
    ).to.contain("adopt");
  });

  it("is made of packages whose licences were accepted, and has an SBOM", () => {
    const licences = licencesIn(sbomOf(own.installed));
    expect(licences.map(({ name }) => name)).to.include.members([
      "@tunnelplane/sdk",
      "@pulumi/pulumi",
      "tunnelplane",
      "zod",
    ]);
    expect(unacceptedIn(licences)).to.deep.equal([]);
  });
});
