/** Who may do what: roles, and the scopes of API keys. */

export { may, type Rightful, refusalOf, type Subject, scopeBeyond } from "./rights";
export {
  EXCHANGED_KEY_S,
  holdsScope,
  PERMISSIONS,
  type Permission,
  SCOPES,
  scopesBeyond,
  scopesFor,
} from "./scopes";
