/** The roles for which objects of all owners, and what only admins change, exist. */
const SEES_ALL = ["admin", "viewer"];

/** Whether a caller sees what belongs to all. */
export const seesAll = ({ role }) => SEES_ALL.includes(role);

/** Who is signed in, in words: `ci (member; scopes: read, tls_edge:write)`. */
export const whoIs = ({ name, role, scopes }) =>
  `${name} (${role}${scopes.length > 0 ? `; scopes: ${scopes.join(", ")}` : ""})`;
