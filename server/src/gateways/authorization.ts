import { timingSafeEqual } from "node:crypto";
import type { Answers, BindAuthorization } from "@tunnelplane/sdk";
import { definitionOf, fingerprint, hasEnded, validSshPublicKey } from "@tunnelplane/sdk/contract";
import { refusalToBind } from "@tunnelplane/sdk/meaning";
import { sharedProjects } from "../auth";
import type { Documents } from "../documents";
import { hashSecret } from "../secrets";
import { type Store, statement } from "../storage";
import { keptOutBecause } from "./sessionEnds";

/** How an agent proves who it is. */
export type Proof = { readonly token: string } | { readonly publicKey: string };

const UNKNOWN: BindAuthorization = {
  allowed: false,
  credential: null,
  owner_id: null,
  project_ids: [],
  acl: [],
  expires_at: null,
  reason: "No credential has this token or public key: it is wrong, or the credential was deleted",
};

/**
 * Finds the credential of an agent and decides whether it may bind all that is asked for. It answers, counts
 * and logs nothing else: gateways count wrong tokens by the address of the agent.
 * @param binds `bind:<host>:<port>`, or `bind:<key>=<value>` for each label; none asks who it is
 * @param address of an agent that logs in or binds: a session that was stopped is kept out for a while
 */
export async function authorize(
  { store, documents }: { store: Store; documents: Documents },
  proof: Proof,
  binds: readonly string[],
  address?: string,
): Promise<BindAuthorization> {
  const found =
    "token" in proof ? await byToken(store, proof.token) : await byPublicKey(store, proof.publicKey);
  if (!found) return UNKNOWN;
  const { id, kind, ownerId, projectId, document } = found;
  const fields: Partial<Answers["tunnel_credential" | "ssh_credential"]> = JSON.parse(document);
  const { acl = [], expires_at = null } = fields;
  // As if it were deleted: gateways remember what credentials were allowed.
  if (hasEnded(definitionOf(kind), fields, Date.now()))
    return {
      ...UNKNOWN,
      reason: `The credential ${id} ended at ${expires_at}: give it another \`expires_at\`, or use another credential`,
    };
  const refusal =
    (address === undefined ? undefined : await keptOutBecause(store, id, address)) ??
    refusalToBind(id, acl, binds);
  const [allowed, reason] = [refusal === undefined, refusal ?? ""];
  return {
    allowed,
    credential: { id, uri: documents.addressOf(definitionOf(kind), id) },
    owner_id: ownerId,
    project_ids: [...new Set([projectId, ...(await sharedProjects(store.reader))])],
    acl,
    expires_at,
    reason,
  };
}

interface Found {
  readonly id: string;
  readonly kind: "tunnel_credential" | "ssh_credential";
  readonly ownerId: string;
  readonly projectId: string;
  readonly document: string;
}

async function byToken({ reader }: Store, token: string): Promise<Found | undefined> {
  const hash = hashSecret(token);
  const [found] = await credentialByHash(reader, { hash });
  // Compared again in constant time, as API keys are: nothing depends on how a database compares texts.
  return found && timingSafeEqual(Buffer.from(found.hash), Buffer.from(hash)) ? found : undefined;
}

async function byPublicKey({ reader }: Store, publicKey: string): Promise<Found | undefined> {
  return (await credentialByKey(reader, { key: fingerprint(validSshPublicKey(publicKey)) }))[0];
}

const credentialByHash = statement<{ hash: string }, Found & { readonly hash: string }>((db, parameter) =>
  db
    .selectFrom("one_time_secret")
    .innerJoin("resource", "resource.id", "one_time_secret.resource_id")
    .select(["hash", "id", "kind", "owner_id as ownerId", "project_id as projectId", "document"])
    .where("hash", "=", parameter("hash"))
    .where("kind", "=", "tunnel_credential")
    .$narrowType<{ kind: Found["kind"] }>(),
);

const credentialByKey = statement<{ key: string }, Found>((db, parameter) =>
  db
    .selectFrom("unique_key")
    .innerJoin("resource", "resource.id", "unique_key.resource_id")
    .select(["id", "kind", "owner_id as ownerId", "project_id as projectId", "document"])
    .where("scope", "=", "ssh_public_key")
    .where("value", "=", parameter("key"))
    .where("kind", "=", "ssh_credential")
    .$narrowType<{ kind: Found["kind"] }>(),
);
