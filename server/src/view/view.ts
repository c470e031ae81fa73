import {
  type Definition,
  definitionNamed,
  definitionOfId,
  EDGE_KINDS,
  present,
  seesAll,
} from "@tunnelplane/sdk/contract";
import type { WorldObject } from "@tunnelplane/sdk/meaning";
import { readHostport, wildcardsAbove } from "@tunnelplane/sdk/rules";
import type { Kysely } from "kysely";
import { type Caller, projectOf, seesAllProjects, sharedProjects } from "../auth";
import type { Document, Documents } from "../documents";
import { type Database, partsOf, pipelined } from "../storage";
import { storedObject } from "./objects";
import { restrictionsIn } from "./restrictions";
import {
  adminById,
  edgesAt,
  edgesBelow,
  hostportsFrom,
  newestIn,
  type Served,
  seenBelongingTo,
  seenByIds,
  seenUsersOf,
  tcpEdgesAt,
  wholeIn,
} from "./rows";

/** Whose view it is. */
interface Viewer {
  /** The id of the project. */
  readonly project: string;
  /** Whether the viewer may know which restrictions of the account there are. */
  readonly knowsRestrictions: boolean;
}

interface Source {
  readonly db: Kysely<Database>;
  readonly documents: Documents;
}

/** The limit on credentials of each kind, the newest ones, that are examined for who may serve an address. */
const MAX_CREDENTIALS = 500;

/**
 * The stored objects as those of one project see them: its own, and those of shared projects that these
 * refer to. What belongs to other projects is in no answer of it. Restrictions of the account hold for all
 * edges; of those in other projects it tells the networks only.
 */
export class View {
  private constructor(
    private readonly source: Source,
    private readonly viewer: Viewer,
  ) {}

  static of(source: Source, caller: Caller): View {
    return new View(source, { project: projectOf(caller), knowsRestrictions: seesAllProjects(caller) });
  }

  /** What everybody in a project may know, or somebody who knows the restrictions of the account too. */
  static ofProject(source: Source, project: string, knowsRestrictions = false): View {
    return new View(source, { project, knowsRestrictions });
  }

  get documents(): Documents {
    return this.source.documents;
  }

  /** Objects of the project itself; missing ones, and those of other projects, are left out. */
  async own(ids: readonly string[]): Promise<WorldObject[]> {
    const rows = await this.#seen(ids);
    return rows.filter((row) => row.project_id === this.viewer.project).map(storedObject);
  }

  /** Objects that those of the project refer to: its own, and those of shared projects. */
  async seen(ids: readonly string[]): Promise<WorldObject[]> {
    return (await this.#seen(ids)).map(storedObject);
  }

  // Not with `inParts`, which gives up its turn: a transaction may hold the one lock for writing.
  async #seen(ids: readonly string[]) {
    const { project } = this.viewer;
    return (
      await pipelined(partsOf(ids).map((part) => seenByIds(this.source.db, { ids: part, project })))
    ).flat();
  }

  /** The newest rules of each policy, and routes of each edge. */
  async belongingTo(ids: readonly string[], limit: number): Promise<WorldObject[][]> {
    const { project } = this.viewer;
    const rows = await pipelined(ids.map((id) => seenBelongingTo(this.source.db, { id, project, limit })));
    return rows.map((children) => children.map(storedObject));
  }

  /** The ids of the objects that refer to each of these. */
  async referrersOf(ids: readonly string[], limit: number): Promise<string[][]> {
    const { project } = this.viewer;
    const rows = await pipelined(ids.map((id) => seenUsersOf(this.source.db, { id, project, limit })));
    return rows.map((referrers) => referrers.map(({ from_id }) => from_id));
  }

  /** Whether objects of other projects, which it cannot see, may refer to those of the project. */
  async isLent(): Promise<boolean> {
    return (await sharedProjects(this.source.db)).includes(this.viewer.project);
  }

  /** The newest edges of each kind. */
  async newestEdges(limit: number): Promise<WorldObject[][]> {
    const { project } = this.viewer;
    const pages = await pipelined(
      EDGE_KINDS.map((kind) => newestIn(this.source.db, { kind, project, limit })),
    );
    return pages.map((rows) => rows.map(storedObject));
  }

  /**
   * The restrictions of all edges that are enforced, with their policies and rules. They count to no limit of
   * what the caller asks about.
   */
  restrictions(): Promise<WorldObject[]> {
    return restrictionsIn(this.source.db, this.viewer);
  }

  /** The edges that have one of these hostports. */
  async edgesAt(hostports: readonly string[]): Promise<Served[]> {
    const { project } = this.viewer;
    const parts = partsOf([...new Set(hostports)]);
    return (await pipelined(parts.map((values) => edgesAt(this.source.db, { values, project })))).flat();
  }

  /** The TCP edges at one of these ports: they take connections whatever name these use. */
  async tcpEdgesAt(ports: readonly string[]): Promise<Served[]> {
    const { project } = this.viewer;
    const parts = partsOf([...new Set(ports)]);
    return (await pipelined(parts.map((values) => tcpEdgesAt(this.source.db, { values, project })))).flat();
  }

  /** The edges that take names of a wildcard. @param wildcard `*.example.com:443` */
  async edgesBelow(wildcard: string, limit: number): Promise<string[]> {
    const { project } = this.viewer;
    const suffix = wildcard.slice(1).toLowerCase();
    const rows = await edgesBelow(this.source.db, {
      pattern: `%${suffix}`,
      deeper: `%.%${suffix}`,
      project,
      limit,
    });
    return rows.map(({ resource_id }) => resource_id);
  }

  /** The hostports from one on, in their order. */
  hostportsFrom(from: string, limit: number): Promise<Served[]> {
    return hostportsFrom(this.source.db, { from, project: this.viewer.project, limit });
  }

  /** An object of the project as it is answered, or undefined. */
  async whole(id: string): Promise<Document | undefined> {
    const { db, documents } = this.source;
    const definition: Definition = present(definitionOfId(id));
    const [row] = await wholeIn(definition)(db, { id, project: this.viewer.project });
    return row && JSON.parse(await documents.read(db, definition, row.document, `${id} ${row.version}`));
  }

  /** Those of these owners of API keys who are admins of the account. */
  async adminsAmong(owners: readonly string[]): Promise<string[]> {
    const rows = await pipelined(owners.map((id) => adminById(this.source.db, { id })));
    return rows.flat().map(({ id }) => id);
  }

  /** The newest credentials of both kinds. Those that the caller may not see are only counted. */
  async credentials(
    caller: Pick<Caller, "role" | "ownerId">,
  ): Promise<{ credentials: WorldObject[]; full: boolean }> {
    const { project } = this.viewer;
    const pages = await pipelined(
      CREDENTIAL_KINDS.map((kind) => newestIn(this.source.db, { kind, project, limit: MAX_CREDENTIALS + 1 })),
    );
    const credentials = pages.flatMap((rows) =>
      rows.slice(0, MAX_CREDENTIALS).map((row): WorldObject => {
        const object = storedObject(row);
        return seesAll(caller.role) || row.owner_id === caller.ownerId ? object : { ...object, hidden: true };
      }),
    );
    return { credentials, full: pages.some((rows) => rows.length > MAX_CREDENTIALS) };
  }
}

const CREDENTIAL_KINDS = ["tunnel_credential", "ssh_credential"].map((kind) => definitionNamed(kind).kind);

/** The hostports that may take a name, the best first. */
export function candidatesOf(address: string): string[] {
  const { host, port } = readHostport(address);
  return [host, ...wildcardsAbove(host)].map((name) => `${name}:${port}`);
}
