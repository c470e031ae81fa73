import { badge, codes, h, row, table, time } from "./dom.mjs";

/** The roles for which objects of all owners, and what only admins change, exist. */
const SEES_ALL = ["admin", "viewer"];

/** Whether a caller sees what belongs to all. */
export const seesAll = ({ role }) => SEES_ALL.includes(role);

/**
 * Whether a caller may end sessions of agents, by its role and the scopes of its key. A member sees only
 * those of its own credentials, and may end each. The server judges; this only keeps useless buttons away.
 */
export const mayEndAgents = ({ role, scopes }) =>
  ["admin", "member"].includes(role) && (scopes.length === 0 || scopes.includes("write"));

/** Whether a caller may see what gateways see. Scopes of one kind of object do not allow it. */
export const maySeeAgents = ({ role, scopes }) =>
  ["admin", "member", "viewer"].includes(role) &&
  (scopes.length === 0 || ["read", "plan", "write"].some((scope) => scopes.includes(scope)));

/** Who is signed in, in words: `ci (member; scopes: read, tls_edge:write)`. */
export const whoIs = ({ name, role, scopes }) =>
  `${name} (${role ?? "no role yet"}${scopes.length > 0 ? `; scopes: ${scopes.join(", ")}` : ""})`;

const DEFAULT = "default";

/** The name of the project that is asked about: the chosen one, or the one that the server takes without it. */
const projectIn = ({ projects }, chosen) => chosen || (projects.length === 1 ? projects[0].name : DEFAULT);

/** The choice of a project; nothing where there is only one. */
export function projectSwitch(caller, chosen, choose) {
  const { projects } = caller;
  if (projects.length < 2) return [];
  const shown = projectIn(caller, chosen);
  const select = h(
    "select",
    { id: "project" },
    ...projects.map(({ name }) => h("option", { value: name, selected: name === shown }, name)),
  );
  select.addEventListener("change", () => {
    select.disabled = true; // until the page of the chosen project takes its place
    choose(select.value);
  });
  return [h("label", { for: "project" }, "Project"), select];
}

/** The page about the caller: what its key may do, and its role in each project. */
export async function me(_rest, caller) {
  const { name, owner_id, account_role, key_id, scopes, expires_at, projects } = caller;
  const facts = [
    ["Name", name],
    ["Id", h("code", {}, owner_id)],
    ["Role for the whole account", account_role ? badge(account_role) : "none"],
    [key_id.startsWith("ses_") ? "Session" : "API key", h("code", {}, key_id)],
    ["Scopes", scopes.length > 0 ? codes(scopes) : "all that the role allows"],
    ["Ends", expires_at ? time(expires_at) : "never"],
  ];
  return {
    title: "Who I am",
    nodes: [
      table(
        "What you may do here",
        ["What", "Value"],
        facts.map((fact) => row(...fact)),
      ),
      table(
        "Roles in projects",
        ["Project", "Role"],
        projects.map((project) => row(project.name, badge(project.role))),
      ),
    ],
  };
}
