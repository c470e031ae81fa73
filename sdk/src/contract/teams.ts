/** The scope of the unique keys of shared projects: a project that has one is shared. */
export const SHARED_PROJECT = "shared_project";

/**
 * The scope of the unique keys of a subject's memberships, by which they are found.
 * @param subject the id of a user or bot, or {@link groupSubject}
 */
export const membershipsOf = (subject: string): string => `memberships of ${subject}`;

/** A group of users as the subject of memberships. */
export const groupSubject = (group: string): string => `the group ${group}`;
