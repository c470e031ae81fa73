import type { HttpsEdgeRoutesJwtValidation } from "@tunnelplane/sdk";
import { isScheme } from "@tunnelplane/sdk/rules";
import { shortHash } from "./hostports";
import { type NamedFilter, script } from "./json";

/** The name of a scheme counts in any case; the filter finds it only in the declared one. */
export function inDeclaredCase(tokens: HttpsEdgeRoutesJwtValidation["http"]["tokens"]): NamedFilter[] {
  const named = tokens.filter(({ prefix }) => isScheme(prefix));
  if (named.length === 0) return [];
  const lines = named.map(
    ({ name, prefix }) => `  inCase(handle:headers(), ${luaText(name.toLowerCase())}, ${luaText(prefix)})`,
  );
  const code = `function inCase(headers, name, prefix)
  if headers:getNumValues(name) ~= 1 then return end
  local value = headers:get(name)
  if string.lower(string.sub(value, 1, #prefix)) == string.lower(prefix) then
    headers:replace(name, prefix .. string.sub(value, #prefix + 1))
  end
end
function envoy_on_request(handle)
${lines.join("\n")}
end`;
  const name = `scheme ${shortHash(code)}`;
  return [{ ...script(name, code), name, disabled: true }];
}

/** Names of headers and schemes hold no backslash and no control character. */
const luaText = (text: string): string => `"${text.replaceAll('"', '\\"')}"`;
