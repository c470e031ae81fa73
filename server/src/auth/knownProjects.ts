import type { Store } from "../storage";
import { projectNames, sharedProjects } from "./projects";

/** A project, with the two values by which requests name it. */
export interface KnownProject {
  readonly id: string;
  readonly name: string;
}

/** How long the list of projects is trusted; a change on another server counts after this time. */
const TRUSTED_MS = 1000;

/** The projects of the account, at most a thousand; reads them once a second at most. */
export class KnownProjects {
  #read: Promise<ProjectList> | undefined;
  #since = 0;

  constructor(private readonly store: Pick<Store, "reader">) {}

  list(): Promise<ProjectList> {
    if (performance.now() - this.#since >= TRUSTED_MS) this.forget();
    this.#read ??= this.#find().catch((error: unknown) => {
      this.forget();
      throw error;
    });
    return this.#read;
  }

  /** Call this after a change of projects, before answering it. */
  forget(): void {
    this.#read = undefined;
    this.#since = performance.now();
  }

  async #find(): Promise<ProjectList> {
    const { reader } = this.store;
    return new ProjectList(await projectNames(reader), new Set(await sharedProjects(reader)));
  }
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
