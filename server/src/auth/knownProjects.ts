import type { Store } from "../storage";
import { projectNames, sharedProjects } from "./projects";
import { Recent } from "./recent";

/** A project, with the two values by which requests name it. */
export interface KnownProject {
  readonly id: string;
  readonly name: string;
}

/** How long to wait, at least, between two readings because of names that it lacks. */
const MISSED_MS = 50;

/**
 * The projects of the account, at most a thousand; reads them once a second, and where a request names an
 * unknown one.
 */
export class KnownProjects {
  readonly #list: Recent<ProjectList>;
  #missed = 0;

  constructor({ reader }: Pick<Store, "reader">) {
    this.#list = new Recent(
      async () => new ProjectList(await projectNames(reader), new Set(await sharedProjects(reader))),
    );
  }

  list = (): Promise<ProjectList> => this.#list.get();

  /** The list for a request that names a project, which another server may just have made. */
  async listFor(named: string | undefined): Promise<ProjectList> {
    const list = await this.list();
    if (named === undefined || list.named(named) || performance.now() - this.#missed < MISSED_MS) return list;
    this.#missed = performance.now();
    this.forget();
    return this.list();
  }

  /** Call this after a change of projects, before answering it. */
  forget = (): void => this.#list.forget();
}

export class ProjectList {
  readonly #byId: ReadonlyMap<string, KnownProject>;
  readonly #byName: ReadonlyMap<string, KnownProject>;

  /**
   * @param names by id
   * @param shared the ids of those that are shared
   */
  constructor(
    names: ReadonlyMap<string, string>,
    readonly shared: ReadonlySet<string>,
  ) {
    const projects = [...names].map(([id, name]) => ({ id, name }));
    this.#byId = new Map(projects.map((project) => [project.id, project]));
    this.#byName = new Map(projects.map((project) => [project.name, project]));
  }

  get all(): Iterable<KnownProject> {
    return this.#byId.values();
  }

  withId(id: string): KnownProject | undefined {
    return this.#byId.get(id);
  }

  named(name: string): KnownProject | undefined {
    return this.#byName.get(name);
  }
}
