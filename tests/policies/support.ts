import { constants, copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { PreviewOptions } from "@pulumi/pulumi/automation";
import type { Engine } from "../support/engine";
import { newFolder } from "../support/folder";

export interface Said {
  readonly policy: string;
  readonly level: string;
  readonly at: string;
  readonly message: string;
}

const PACK = dirname(require.resolve("@tunnelplane/policies/package.json"));
const { locateEngine } = require("../../tools/scripts/engine.cjs") as { locateEngine(): string | undefined };

/** An engine that runs policy packs beside programs of the Automation API, by a script as their language. */
export class PolicyRunner {
  readonly root = newFolder();
  private readonly pack: string;
  private configs = 0;

  /**
   * @param tellsOrganization engines differ in whether they tell a pack the organization of the stack
   * @param pack a folder with another pack than ours
   */
  constructor({ tellsOrganization = true, pack = PACK } = {}) {
    this.pack = pack;
    const from = join(locateEngine() ?? "", "bin");
    const bin = join(this.root, "bin");
    mkdirSync(bin);
    for (const name of ["pulumi", "pulumi-resource-pulumi-nodejs"])
      copyFileSync(join(from, name), join(bin, name), constants.COPYFILE_FICLONE);
    const runner = require.resolve("@pulumi/pulumi/cmd/run-policy-pack");
    const hidden = tellsOrganization ? "" : "unset PULUMI_ORGANIZATION\n";
    const script = `#!/bin/sh\n${hidden}exec "${process.execPath}" "${runner}" "$@"\n`;
    writeFileSync(join(bin, "pulumi-analyzer-policy-nodejs"), script, { mode: 0o755 });
  }

  /** Options of a run with the pack; `config` is what `--policy-pack-config` names. */
  options(config: object = {}): PreviewOptions {
    const file = join(this.root, `config-${++this.configs}.json`);
    writeFileSync(file, JSON.stringify(config));
    return { policyPacks: [this.pack], policyPackConfigs: [file] };
  }

  /** Runs a preview with the pack; returns what the policies said, and why the engine failed, if it did. */
  async preview(
    engine: Engine,
    config?: object,
  ): Promise<{ said: Said[]; printed: string; failure?: string }> {
    const from = engine.events.length;
    let [printed, failure]: [string, string | undefined] = ["", undefined];
    try {
      printed = (await engine.preview(this.options(config))).stdout;
    } catch (error) {
      failure = (error as Error).message;
    }
    return { said: engine.events.slice(from).flatMap(saidIn), printed, failure };
  }
}

interface PolicyEvent {
  readonly policyName: string;
  readonly enforcementLevel: string;
  readonly resourceUrn?: string;
  readonly message: string;
}

function saidIn(event: string): Said[] {
  const { policyEvent } = JSON.parse(event) as { policyEvent?: PolicyEvent };
  if (!policyEvent) return [];
  const { policyName, enforcementLevel, resourceUrn = "", message } = policyEvent;
  const text = message.replace(/<\{%[^%]*%\}>/g, "").trim();
  return [
    { policy: policyName, level: enforcementLevel, at: resourceUrn.split("::").at(-1) ?? "", message: text },
  ];
}
