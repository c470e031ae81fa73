import type { BrokenGuaranteeFault } from "@tunnelplane/sdk/contract";
import {
  type BrokenGuarantee,
  changeText,
  type DecisionRequest,
  guaranteeText,
} from "@tunnelplane/sdk/meaning";
import type { Document } from "../../documents";
import { RequestError } from "../../util";

/** A stored guarantee. */
export interface StoredGuarantee {
  readonly id: string;
  readonly fields: Document;
}

/** The limit of guarantees that a refusal names. */
const MAX_NAMED = 10;

/**
 * The refusal of a change that breaks guarantees. It says the same whichever of them was made first.
 *
 * @param more whether it holds examples, which name what decides, of any kind. Default: true
 */
export function refusalOf(
  found: readonly (BrokenGuarantee & { readonly guarantee: StoredGuarantee })[],
  { withExamples = true }: { readonly withExamples?: boolean } = {},
): RequestError {
  const broken = found.toSorted((a, b) => (descriptionOf(a.guarantee) < descriptionOf(b.guarantee) ? -1 : 1));
  const [first] = broken;
  const shown = first?.example
    ? `: ${changeText(first.example)}`
    : `, because it could not be proved any more: ${first?.reason}`;
  const more = broken.length > 1 ? ` ${broken.length - 1} more would not hold either.` : "";
  return new RequestError(
    "guarantee_broken",
    `The guarantee ${nameOf(first?.guarantee)} would not hold any more, that ${guaranteeText(first?.guarantee.fields ?? {})}${shown}.${more} Nothing was changed`,
    {
      guarantees: broken
        .slice(0, MAX_NAMED)
        .map(({ guarantee, example, reason }) =>
          shownIn(guarantee, { ...(withExamples && { example }), reason }),
        ),
    },
  );
}

/** The refusal of a change of a shared object; what another project declares is nobody else's to know. */
export const ofAnotherProject = (): RequestError =>
  new RequestError(
    "guarantee_broken",
    "A guarantee of another project, which uses this shared object, would not hold any more. Nothing was changed",
  );

/**
 * The same for an admin of the account, who knows all projects.
 *
 * @param mayForce whether it may be set aside
 */
export function ofProject(
  project: string,
  broken: readonly (BrokenGuarantee & { readonly guarantee: StoredGuarantee })[],
  mayForce: boolean,
): RequestError {
  const { message, options } = refusalOf(broken);
  const cure = mayForce ? "; repeat the request with ?force=true to set it aside" : "";
  return new RequestError(
    "guarantee_broken",
    `A guarantee of another project, ${JSON.stringify(project)}, refuses this. ${message}${cure}`,
    options,
  );
}

/** The refusal of a guarantee that contradicts another one. */
export const contradicts = (other: StoredGuarantee, request: DecisionRequest): RequestError =>
  new RequestError(
    "guarantee_contradicted",
    `The guarantee ${nameOf(other)} wants the opposite for ${request.method} ${request.address}${request.path} from ${request.from}: that ${guaranteeText(other.fields)}. Narrow one of the two, or give one the mode report`,
    { guarantees: [shownIn(other, { request })] },
  );

const descriptionOf = ({ fields }: StoredGuarantee): string => String(fields.description ?? "");

const nameOf = (guarantee: StoredGuarantee | undefined): string => {
  const { description } = guarantee?.fields ?? {};
  return description ? `${guarantee?.id} (${JSON.stringify(description)})` : String(guarantee?.id);
};

const shownIn = (
  { id, fields }: StoredGuarantee,
  shown: Omit<BrokenGuaranteeFault, "id" | "description">,
): BrokenGuaranteeFault => ({
  id,
  description: descriptionOf({ id, fields }),
  ...shown,
});
