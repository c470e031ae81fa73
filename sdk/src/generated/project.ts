// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.
/**
 * A part of the account whose objects exist only for its members. Every object belongs for good to the project in which it was made. `default` exists from the start; it cannot be deleted or get another name. A project that holds objects cannot be deleted.
 *
 * As the API returns it.
 */
export interface Project {
  /** Identifier, `proj_` and 27 characters that sort by time. */
  id: string;

  /** Address of this object. */
  uri: string;

  /** When it was created (RFC 3339). */
  created_at: string;

  /** Its name, with which the header `Tunnelplane-Project` chooses it: 1 to 40 lower-case letters, digits and dashes. Unique in the account. */
  name: string;

  /** A description for people. At most 255 bytes. */
  description: string;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata: string;

  /** Whether other projects may read its objects and refer to them; only its members change them. Stays true while others refer to any of them. Default false. */
  shared: boolean;
}

/** The body that creates a project. */
export interface ProjectCreate {
  /** Its name, with which the header `Tunnelplane-Project` chooses it: 1 to 40 lower-case letters, digits and dashes. Unique in the account. */
  name: string;

  /** A description for people. At most 255 bytes. */
  description?: string;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata?: string;

  /** Whether other projects may read its objects and refer to them; only its members change them. Stays true while others refer to any of them. Default false. */
  shared?: boolean;
}

/** The body that updates a project; fields left out stay as they are. */
export type ProjectUpdate = Partial<ProjectCreate>;
