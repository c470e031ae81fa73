import { type Definition, passedEnd } from "@tunnelplane/sdk/contract";
import { type Caller, NO_ORIGIN, projectOfNew } from "../../auth";
import type { Findings } from "../../compute";
import { type Document, storedName } from "../../documents";
import { sealKept } from "../../secrets";
import type { Database } from "../../storage";
import { refuseFaults } from "../../util";
import { settled } from "../stored";
import type { ServerContext } from "../transaction";
import type { Behaviour, KeptSecret } from "./behaviour";
import { behaviours } from "./behaviours";

/** An object that is ready to be stored: its keys are made, it is signed, composed and printed. */
export interface PreparedCreation {
  readonly definition: Definition;
  readonly id: string;
  readonly ownerId: string;
  /** The fields that were sent, with all defaults. */
  readonly sent: Document;
  /** The same with what the server computed, for the unique keys that it takes. */
  readonly claiming: Document;
  readonly after: Document;
  /** One-time secrets, for the answer to the creation. */
  readonly oneTime?: Document;
  readonly kept?: KeptSecret;
  /** Prints it, with its secrets sealed under the data key that is in use now. */
  print(): { readonly json: string; readonly rows: CreationRows };
}

/** The rows of a creation, besides references and unique keys. */
export interface CreationRows {
  readonly resource: Database["resource"];
  readonly secretHashes: readonly Database["one_time_secret"][];
  readonly sealedSecrets: readonly Database["sealed_secret"][];
}

export interface CreationOrder {
  readonly definition: Definition;
  readonly id: string;
  readonly now: Date;
  /** The body, checked, without problems. The objects that it refers to exist, or are created before it. */
  readonly body: Findings;
  readonly made?: ReadonlyMap<string, KeptSecret>;
  /** Whether to plan only: nothing is made, and the fields of what would be made are null. Default: false. */
  readonly dryRun?: boolean;
  /** Its name in the program. */
  readonly name?: string;
  /** Further fields that answers have. Default: none. */
  readonly computed?: Document;
}

/**
 * Does all the work of a creation that needs no transaction. If the creation is refused afterwards, nothing
 * of it stays.
 */
export async function prepareCreation(
  context: ServerContext,
  caller: Caller,
  order: CreationOrder,
): Promise<PreparedCreation> {
  const { definition, id, now, body, made, name, dryRun = false } = order;
  const { documents, keyring, names, store } = context;
  const behaviour: Behaviour | undefined = behaviours[definition.kind];
  const given = withOwner(definition, body.value, caller);
  refuseFaults(passedEnd(definition, { after: given, now }));
  const found = settled(definition, { given, before: {}, dryRun });
  if ("problem" in found) refuseFaults([found.problem]);
  const { sent: asked } = "sent" in found ? found : { sent: given };
  const creation = { definition, id, now, caller, reader: store.reader, names };
  const planned = await behaviour?.plan?.({ ...creation, sent: asked });
  const { sent = asked } = planned ?? {};
  const done = dryRun ? undefined : await behaviour?.make?.({ ...creation, sent, keyring, made });
  const { oneTime, secretHash, origin = NO_ORIGIN, kept } = done ?? {};
  const computed = { ...order.computed, ...planned?.computed, ...done?.computed };
  const after = documents.compose(definition, id, now.toISOString(), sent, { ...body.derived, ...computed });
  const ownerId = typeof sent.owner_id === "string" ? sent.owner_id : caller.ownerId;
  return {
    definition,
    id,
    ownerId,
    sent,
    claiming: { ...sent, ...computed },
    after,
    oneTime,
    kept,
    print() {
      const { json, stored } = documents.print(definition, after);
      const rows: CreationRows = {
        resource: {
          id,
          kind: definition.kind,
          owner_id: ownerId,
          version: 1,
          document: stored,
          project_id: projectOfNew(definition, sent, caller),
          name: storedName(name),
        },
        secretHashes: secretHash === undefined ? [] : [{ resource_id: id, hash: secretHash, ...origin }],
        sealedSecrets: kept
          ? [
              {
                resource_id: id,
                name: kept.name,
                value: sealKept(keyring, { id, name: kept.name }, kept.text),
              },
            ]
          : [],
      };
      return { json, rows };
    },
  };
}

/** A body whose object belongs to the caller, unless it names another owner. */
export const withOwner = (definition: Definition, value: Document, caller: Caller): Document =>
  "owner_id" in definition.fields ? { ...value, owner_id: value.owner_id ?? caller.ownerId } : value;

/** Whether creations of a type need the objects that they refer to before the transaction. */
export const hasBehaviour = (definition: Definition): boolean => behaviours[definition.kind] !== undefined;
