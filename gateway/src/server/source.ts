import {
  BadRequestError,
  Collection,
  callerOf,
  type Event,
  NotFoundError,
  Tunnelplane,
} from "@tunnelplane/sdk";
import {
  DEFAULT_PROJECT,
  definitionOf,
  definitionOfId,
  isEdgeKind,
  isObject,
  type Kind,
  present,
  SESSION_STOPPED,
  waitedForBy,
} from "@tunnelplane/sdk/contract";
import { ENFORCED_KINDS, isEnforcedKind } from "../envoy/kinds";
import type { InProject } from "../envoy/model";

export interface Entry {
  readonly kind: string;
  readonly fields: object;
}

/** The names of objects that have one, by id. */
export const namesOf = (entries: readonly Entry[]): ReadonlyMap<string, string> =>
  new Map(
    entries.flatMap(({ fields }) =>
      "id" in fields && "resource_name" in fields
        ? [[String(fields.id), String(fields.resource_name)] as const]
        : [],
    ),
  );

/** Changes at the server since the last look. */
export interface News {
  /** Whether objects changed. */
  readonly objects: boolean;
  /** The credentials that changed; "all" if it is not known which. */
  readonly credentials: ReadonlySet<string> | "all";
  /** Whether certificates of hosts were issued or deleted. */
  readonly hostCertificates: boolean;
  /** The sessions that somebody stopped or restarted. */
  readonly ended: ReadonlySet<string>;
}

/** Where objects come from. */
export interface Source {
  /** All objects that a gateway enforces, ordered by id. */
  readonly entries: readonly Entry[];
  /** The sequence of the last event that was followed. */
  readonly sequence: number;
  /** Reads all at first, and then waits for what is new, at most half a minute. */
  next(signal: AbortSignal): Promise<News>;
  close(): Promise<void>;
}

const WAIT_SECONDS = 30;
/** The server's wait, and some time for the answer to arrive. */
const MAX_MS = 40_000;
/** One page of events. */
const MAX_EVENTS = 100;
/** With more, all objects are read again: one page of a list costs as much as a few objects. */
const MAX_SINGLE = 50;
const MAX_PAGES = 100;
const CREDENTIALS: readonly Kind[] = ["tunnel_credential", "ssh_credential"];

interface SourceOptions {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** The names of the projects whose edges are served. Default: all. */
  readonly projects?: readonly string[] | undefined;
}

/** Follows a server by its events. */
export class ServerSource implements Source {
  readonly api: Tunnelplane;
  readonly #waiting: Tunnelplane;
  readonly #projects: readonly string[] | undefined;
  readonly #objects = new Map<string, Entry>();
  /** The last event that was followed; undefined before the first reading, null where there was none. */
  #position: string | null | undefined;
  sequence = 0;
  /** The ids of the projects whose edges are served; undefined for all. */
  #served: ReadonlySet<string> | undefined;

  constructor({ projects, ...options }: SourceOptions) {
    this.#projects = projects;
    this.api = new Tunnelplane({ ...options, timeoutMs: 10_000, connections: 8 });
    this.#waiting = new Tunnelplane({ ...options, timeoutMs: MAX_MS, connections: 1 });
  }

  get entries(): readonly Entry[] {
    return [...this.#objects]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, entry]) => entry)
      .filter((entry) => this.#isServed(entry));
  }

  /** Edges are served only in the chosen projects; the objects that they refer to may be shared. */
  #isServed({ kind, fields }: Entry): boolean {
    const { project_id: project = DEFAULT_PROJECT.id }: InProject = fields;
    return !this.#served || !isEdgeKind(kind) || this.#served.has(project);
  }

  async next(signal: AbortSignal): Promise<News> {
    if (this.#position === undefined) return this.#readAll();
    let events: readonly Event[];
    try {
      events = await this.#comeSince(this.#position ?? undefined, signal);
    } catch (error) {
      // The events in between are gone, or the database was restored.
      if (error instanceof BadRequestError) return this.#readAll();
      throw error;
    }
    const last = events.at(-1);
    if (!last) return { objects: false, credentials: new Set(), hostCertificates: false, ended: new Set() };
    const { objects, credentials, hostCertificates, projects, ended } = namedBy(events);
    // The served objects, and the credentials that may serve them, can be other ones now.
    if (projects) return this.#readAll();
    if (objects.size > MAX_SINGLE) await this.#readObjects();
    else await Promise.all([...objects].map((id) => this.#readOne(id)));
    this.#moveTo(last);
    return { objects: objects.size > 0, credentials, hostCertificates, ended };
  }

  /** The events since one: waits for the first of them. */
  async #comeSince(position: string | undefined, signal: AbortSignal): Promise<readonly Event[]> {
    const events = [...(await this.#waiting.events.after(position, WAIT_SECONDS, { signal }))];
    for (let page = 1, latest = events.length; latest === MAX_EVENTS && page < MAX_PAGES; page++) {
      const more = await this.api.events.after(events.at(-1)?.event_id, 0);
      events.push(...more);
      latest = more.length;
    }
    return events;
  }

  async #readAll(): Promise<News> {
    // Read before the objects: an object that changes meanwhile is read once more.
    const newest = await this.#newest();
    await this.#readObjects();
    if (newest) this.#moveTo(newest);
    else this.#position = null;
    return { objects: true, credentials: "all", hostCertificates: true, ended: new Set() };
  }

  /** The newest event, with its sequence. */
  async #newest(): Promise<Event | undefined> {
    const [newest, before] = await this.api.events.newest(2);
    return newest && (await this.api.events.after(before?.event_id, 0)).at(-1);
  }

  #moveTo({ event_id, sequence = 0 }: Event): void {
    this.#position = event_id;
    this.sequence = sequence;
  }

  /** @throws if the server has no project of a name that was chosen */
  async #readProjects(): Promise<void> {
    const wanted = this.#projects;
    if (wanted === undefined) return;
    const { projects } = await callerOf(this.api.transport);
    const missing = wanted.find((name) => !projects.some((project) => project.name === name));
    if (missing !== undefined)
      throw new Error(
        `there is no project ${JSON.stringify(missing)} here, or the API key is not for it: correct --project`,
      );
    this.#served = new Set(projects.filter(({ name }) => wanted.includes(name)).map(({ id }) => id));
  }

  async #readObjects(): Promise<void> {
    await this.#readProjects();
    const read = new Map<string, Entry>();
    for (const kind of ENFORCED_KINDS) {
      const { path, listKey } = definitionOf(kind);
      const objects = new Collection<{ readonly id: string }, never, never>(
        this.api.transport,
        path,
        listKey,
      );
      for await (const fields of objects.list({ names: true })) read.set(fields.id, { kind, fields });
    }
    this.#objects.clear();
    for (const [id, entry] of read) this.#objects.set(id, entry);
  }

  async #readOne(id: string): Promise<void> {
    const { path, kind } = present(definitionOfId(id));
    try {
      const { body } = await this.api.transport.request<object>("GET", `${path}/${id}?names=true`);
      this.#objects.set(id, { kind, fields: body });
    } catch (error) {
      if (!(error instanceof NotFoundError)) throw error;
      this.#objects.delete(id);
      // Its replacement serves from now on, but the event that says so may come later.
      const after = [...this.#objects].filter(([, { fields }]) => waitedForBy({ ...fields }) === id);
      await Promise.all(after.map(([waiting]) => this.#readOne(waiting)));
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.api.close(), this.#waiting.close()]);
  }
}

const PROJECT_PREFIX = "proj_";

/**
 * The objects to read again, the credentials to check again, and whether hosts got certificates or projects
 * changed.
 */
function namedBy(events: readonly Event[]) {
  const objects = new Set<string>();
  const credentials = new Set<string>();
  const ended = new Set<string>();
  let [hostCertificates, projects] = [false, false];
  for (const { object, event_type: type } of events) {
    if (type === SESSION_STOPPED) {
      const credential = credentialToAsk(object);
      if (credential === undefined) continue;
      ended.add(object.id);
      credentials.add(credential);
    }
    projects ||= object.id.startsWith(PROJECT_PREFIX);
    const definition = definitionOfId(object.id);
    if (!definition) continue;
    const { kind } = definition;
    if (CREDENTIALS.includes(kind)) credentials.add(object.id);
    else if (kind === "https_edge_route") objects.add(String(object.edge_id));
    else if (kind === "ssh_host_certificate") hostCertificates = true;
    else if (isEnforcedKind(kind)) objects.add(object.id);
  }
  return { objects, credentials, hostCertificates, projects, ended };
}

/**
 * The credential of a session whose end somebody asked for: what it was allowed is asked again. Undefined for
 * a session that ended by itself.
 */
function credentialToAsk({ reason, credential }: Event["object"]): string | undefined {
  if (reason !== "stopped" && reason !== "restarted") return undefined;
  return isObject(credential) ? String(credential.id) : undefined;
}
