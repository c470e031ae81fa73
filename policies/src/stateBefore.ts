import { recordedResources } from "@tunnelplane/pulumi/review";

type Recorded = ReturnType<typeof recordedResources>;

/**
 * The state of a stack as it was before a run. It is read as soon as the engine names a resource, before
 * anything changes; a pack serves one run.
 */
export class StateBefore {
  private reading: Recorded | undefined;

  /** @param urn of any resource of the stack */
  begin(urn: string): void {
    this.reading ??= read(urn);
    this.reading.catch(() => {}); // reported where the state is needed
  }

  async resources(): Recorded {
    return (await this.reading) ?? [];
  }
}

async function read(urn: string): Recorded {
  const [stack = "", project = ""] = urn.replace(/^urn:pulumi:/, "").split("::");
  // Some versions of the engine pass on the organization. Without it: the one of backends that have none, or
  // the default.
  const organization = process.env.PULUMI_ORGANIZATION;
  const names = organization
    ? [`${organization}/${project}/${stack}`]
    : [`organization/${project}/${stack}`, stack];
  let reason = "";
  for (const name of names) {
    try {
      return await recordedResources(name);
    } catch (error) {
      reason = (error instanceof Error ? error.message : String(error)).trim().split("\n").at(-1) ?? "";
    }
  }
  throw new Error(
    `The state of the stack ${stack} cannot be read (${reason}), so nobody knows what changes: if only the project's Pulumi.yaml names the backend, set PULUMI_BACKEND_URL too`,
  );
}
