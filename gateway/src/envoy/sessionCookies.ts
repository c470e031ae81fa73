import type { HttpsEdge } from "@tunnelplane/sdk";
import { refuseCookies } from "@tunnelplane/sdk/rules";
import { isWildcard, readHostport, wildcardsAbove } from "./hostports";
import { onceForEach } from "./indexes";
import { type Json, script } from "./json";

/** Envoy's cookies: the last part of our names, with the fields that name and describe them. */
const COOKIES = [
  ["token", "bearer_token_cookie_config", "bearer_token"],
  ["hmac", "oauth_hmac_cookie_config", "oauth_hmac"],
  ["expires", "oauth_expires_cookie_config", "oauth_expires"],
  ["id", "id_token_cookie_config", "id_token"],
  ["refresh", "refresh_token_cookie_config", "refresh_token"],
  ["nonce", "oauth_nonce_cookie_config", "oauth_nonce"],
  ["verifier", "code_verifier_cookie_config", "code_verifier"],
] as const;

export const COOKIE_SETTINGS: Json = Object.fromEntries(
  COOKIES.map(([, setting]) => [setting, { same_site: "LAX" }]),
);

/** Browsers take `__Host-` cookies only from this very host, over TLS: no other site can plant one. */
const BOUND = "__Host-";

type CookieField = (typeof COOKIES)[number][2];

export function cookieNames(prefix: string, id: string): Readonly<Record<CookieField, string>> {
  refuseCookies(prefix);
  const start = `${prefix.startsWith(BOUND) ? "" : BOUND}${prefix === "" ? "tunnelplane" : prefix}_${id}`;
  const names = COOKIES.map(([part, , field]) => [field, `${start}_${part}`]);
  // The type of Object.fromEntries loses the names; COOKIES has one entry for each field.
  return Object.fromEntries(names) as Record<CookieField, string>;
}

export const hostsWithSignIn = onceForEach(
  (edges: readonly HttpsEdge[]) =>
    new Set(
      edges
        .filter(({ routes }) => routes.some(({ oidc }) => oidc?.enabled))
        .flatMap(({ hostports }) => hostports.map((one) => readHostport(one).host)),
    ),
);

/** Whether users may sign in at a host, at any of its ports: browsers send its cookies to all of them. */
export function hidesCookies(host: string, edges: readonly HttpsEdge[]): boolean {
  const hosts = hostsWithSignIn(edges);
  const isBelow = () => isWildcard(host) && [...hosts].some((one) => wildcardsAbove(one).includes(host));
  return [host, ...wildcardsAbove(host)].some((one) => hosts.has(one)) || isBelow();
}

/** Removes the cookies of all sign-ins, so that no backend sees them, on routes with and without sign-in. */
export const withoutCookies = (): Json =>
  script(
    "without cookies",
    `function envoy_on_request(handle)
  local headers = handle:headers()
  local kept = {}
  for index = 0, headers:getNumValues("cookie") - 1 do
    for cookie in string.gmatch(headers:getAtIndex("cookie", index), "[^;]+") do
      local name = string.match(cookie, "^%s*([^=]*)")
      if not string.match(name, "^${BOUND.replaceAll("-", "%-")}.*_${"%x".repeat(16)}_%l+%.?%x*%s*$") then
        kept[#kept + 1] = string.match(cookie, "^%s*(.-)%s*$")
      end
    end
  end
  headers:remove("cookie")
  if #kept > 0 then headers:add("cookie", table.concat(kept, "; ")) end
end`,
  );
