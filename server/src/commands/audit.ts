import { Command, InvalidArgumentError, Option } from "commander";
import { type Anchor, verifyAudit } from "../journal/verify";
import { type CoreCommandOptions, withCore } from "./core";

interface VerifyOptions extends CoreCommandOptions {
  readonly expect?: Anchor;
}

/** `tunnelplane audit …` */
export function auditCommand(): Command {
  const audit = new Command("audit").description("Examine the audit log");
  const verify = new Command("verify")
    .description("Recompute the audit log, while servers serve; exit code 1 when anything in it was changed, removed or moved")
    .addOption(
      new Option("--expect <sequence:hash>", "a row that an earlier run printed and that must still be there").argParser(anchorOf),
    );
  audit.addCommand(
    withCore<VerifyOptions, []>(verify, async ({ store, keyring }, { expect }) => {
      const { rows, head, faults } = await verifyAudit(store, keyring, expect);
      if (faults.length > 0) {
        throw new Error(`the audit log was tampered with, or damaged:\n${faults.map((fault) => `  - ${fault}`).join("\n")}`);
      }
      console.log(
        `The audit log is whole: ${rows} rows.\nNote its end elsewhere, to prove later that nothing up to here was changed: ${head.sequence}:${head.hash}`,
      );
    }),
  );
  return audit;
}

function anchorOf(text: string): Anchor {
  const [, sequence, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? [];
  if (!sequence || !hash) throw new InvalidArgumentError('Expected "<number>:<64 hexadecimal digits>", as an earlier run printed it.');
  return { sequence: Number(sequence), hash };
}
