import { type CallerProject, NotFoundError, type Transport } from "@tunnelplane/sdk";
import { DEFAULT_PROJECT, type Definition } from "@tunnelplane/sdk/contract";
import { knownCallerOf } from "./caller";
import type { Properties } from "./values";

/** Where an object is, and where a run looks for it. */
interface Places {
  readonly noun: "server" | "project";
  /** In words. */
  readonly from: string;
  readonly to: string;
  /** The setting that leads there, and its value. */
  readonly setting: "address" | "project";
  readonly value: string;
}

/** An object was asked for where it is not: at another server, or in another project. */
export class ElsewhereError extends Error {
  constructor(
    message: string,
    readonly places: Places,
  ) {
    super(message);
  }
}

/** A project, as the state keeps it. */
type Project = Pick<CallerProject, "id" | "name">;

/**
 * The project of a resource in its outputs, as `<id> <name>`: names may change. `default` is not recorded, so
 * that stacks without projects stay as they are.
 */
const recordOf = ({ id, name }: Project): Properties => ({ __project: `${id} ${name}` });

/** The record of objects that are in no project, because they belong to the whole account. */
const OF_ACCOUNT: Properties = { __project: "account" };

/** The kinds whose objects belong to the whole account. */
const KINDS_OF_ACCOUNT: readonly string[] = ["project", "membership"];

/** The project that recorded outputs name; undefined for an object of the account. */
export function projectIn({ __project }: Properties): Project | undefined {
  if (__project === OF_ACCOUNT.__project) return undefined;
  const [, id, name] = /^(\S+) (\S+)$/.exec(typeof __project === "string" ? __project : "") ?? [];
  return id && name ? { id, name } : DEFAULT_PROJECT;
}

/**
 * The project that requests are about; undefined for a server that knows no projects.
 *
 * @throws if the transport names a project that its caller cannot see there
 */
async function projectOf(transport: Transport): Promise<Project | undefined> {
  const { baseUrl, project: name } = transport;
  const { projects } = await knownCallerOf(transport);
  if (!projects) {
    if (name === undefined || name === DEFAULT_PROJECT.name) return undefined;
    throw new Error(
      `${baseUrl} knows no projects, so nothing can be in ${name} there; upgrade it to this package's version, or set no project`,
    );
  }
  const [only, ...others] = projects;
  const isIt = (project: Project): boolean => project.name === (name ?? DEFAULT_PROJECT.name);
  const found = name === undefined && others.length === 0 ? only : projects.find(isIt);
  if (found) return found;
  const names = projects.map((project) => project.name).join(", ");
  throw new Error(
    `${baseUrl} has no project ${name ?? DEFAULT_PROJECT.name} for this API key, which has a role in ${names || "none"}; set one of these, or ask an admin for a membership`,
  );
}

/**
 * The record of the project that requests are about.
 *
 * @param definition the type of the recorded object, if it is only one
 */
export async function recordOfProject(transport: Transport, definition?: Definition): Promise<Properties> {
  if (definition && KINDS_OF_ACCOUNT.includes(definition.kind)) return OF_ACCOUNT;
  const project = await projectOf(transport);
  return project && project.id !== DEFAULT_PROJECT.id ? recordOf(project) : {};
}

/** Whether a request failed because its project does not exist for the API key, or not yet. */
export async function lacksProject(transport: Transport, error: unknown): Promise<boolean> {
  if (!(error instanceof NotFoundError) || transport.project === undefined) return false;
  return knownCallerOf(transport).then(
    () => false,
    (refusal: unknown) => refusal instanceof NotFoundError,
  );
}

/**
 * Refuses to ask for an object that the state has in another project. The server would answer "no such
 * object", and the object would be taken for deleted while it lives on.
 *
 * @param what the object, for messages
 */
export async function expectProject(transport: Transport, what: string, recorded: Properties): Promise<void> {
  const isNamed = transport.project !== undefined || "__server" in recorded || "__project" in recorded;
  if (Object.keys(recorded).length === 0 || !isNamed) return;
  const before = projectIn(recorded);
  const here = before && (await projectOf(transport));
  if (!here || here.id === before.id) return;
  throw new ElsewhereError(
    `${what} is in the project ${before.name} of ${transport.baseUrl}, and this run works in ${here.name}; nothing was changed. So set the project back to ${before.name}; if the object is gone, remove it from the state with "pulumi state delete"`,
    { noun: "project", from: before.name, to: here.name, setting: "project", value: here.name },
  );
}
