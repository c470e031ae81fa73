import { DEFAULT_PROJECT, PROJECT_HEADER, type Role, strongest } from "@tunnelplane/sdk/contract";
import { quoted, RequestError } from "../util";
import type { Caller, ProjectRole } from "./caller";
import type { KnownProject, ProjectList } from "./knownProjects";
import type { Roles } from "./roles";

/** The user or bot that holds a key, before a request chooses a project. */
export interface Holder
  extends Pick<
    Caller,
    "ownerId" | "name" | "keyId" | "origin" | "inBrowser" | "keyProject" | "expiresAt" | "scopes"
  > {
  readonly roles: Roles;
}

/** The project that a request chooses. */
export interface Choice {
  /** The value of the header; undefined without one. */
  readonly named: string | undefined;
  /** Whether the request is about no project, so that it has to choose none. */
  readonly isOfAccount?: boolean;
  /**
   * Whether what was sent came as the cookie of a session: a session of a browser is not a key, and a key is
   * not such a session.
   */
  readonly isCookie?: boolean;
  /** Whether the key is looked up now, however short a time ago it was. */
  readonly isAnew?: boolean;
}

/** The projects that an error names. */
const MAX_NAMED = 20;

/**
 * The holder of a key in the project that a request chooses: the one that it names, or else the key's, its
 * owner's only one, or `default`.
 */
export function callerIn(holder: Holder, projects: ProjectList, { named, isOfAccount }: Choice): Caller {
  const { roles, keyProject, ...about } = holder;
  const account = keyProject === null ? roles.account : null;
  const roleIn = (id: string): Role | undefined =>
    keyProject === null || keyProject === id
      ? strongest([roles.account, roles.inProjects.get(id)])
      : undefined;
  const inside = (project: KnownProject | undefined): ProjectRole | undefined => {
    const role = project && roleIn(project.id);
    return role && { ...project, role };
  };
  const own = (): ProjectRole[] => {
    const ids = keyProject === null ? [...roles.inProjects.keys()] : [keyProject];
    const those = account === null ? ids.map((id) => projects.withId(id)) : [...projects.all];
    return those.flatMap((project) => inside(project) ?? []);
  };
  const caller = (project: string | undefined, role: Role | null): Caller => ({
    ...about,
    keyProject,
    role,
    accountRole: account,
    project,
    shared: projects.shared,
    admin: role === "admin",
    get projects() {
      return own();
    },
  });

  if (named !== undefined) {
    const project = inside(projects.named(named));
    if (!project)
      throw new RequestError(
        "not_found",
        `There is no project ${quoted(named)} (header ${PROJECT_HEADER}), or you have no role in it; GET /caller lists yours`,
      );
    return caller(project.id, project.role);
  }
  if (account === "gateway" && roles.inProjects.size === 0) return caller(undefined, account);
  const [first, second] = account === null ? own() : [];
  const only = second === undefined ? first : undefined;
  const chosen = only ?? inside(projects.withId(keyProject ?? DEFAULT_PROJECT.id));
  if (chosen) return caller(chosen.id, chosen.role);
  if (!first) return caller(NONE, null);
  if (isOfAccount) return caller(NONE, strongest(own().map(({ role }) => role)) ?? null);
  const names = own().map(({ name }) => name);
  const listed = names.slice(0, MAX_NAMED).join(", ") + (names.length > MAX_NAMED ? ", …" : "");
  throw new RequestError(
    "invalid_header",
    `Choose a project with the header ${PROJECT_HEADER}: you have a role in ${listed}`,
  );
}

/** The id of no project. */
const NONE = "none";
