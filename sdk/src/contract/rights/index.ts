/** Who may do what: roles, and the scopes of API keys. */

export { may, type Rightful, refusalOf, type Subject, scopeBeyond } from "./rights";
export { ACTS, type Act, holdsScope, SCOPES, scopesBeyond, scopesFor } from "./scopes";
