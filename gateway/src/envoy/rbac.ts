import { extension, type Json, typed } from "./json";

/** Rules that admit only what has all of these. */
export const admitting = (permissions: readonly Json[], principals: readonly Json[]): Json => ({
  rules: {
    action: "ALLOW",
    policies: {
      declared: {
        permissions: [permissions.length === 0 ? { any: true } : { and_rules: { rules: permissions } }],
        principals: [principals.length === 0 ? { any: true } : { and_ids: { ids: principals } }],
      },
    },
  },
});

/** Rules that admit nothing. */
export const admittingNothing = (): Json => ({ rules: { action: "ALLOW" } });

export const networkRbac = (name: string, rules: Json): Json =>
  extension(name, "envoy.extensions.filters.network.rbac.v3.RBAC", { stat_prefix: name, ...rules });

export const routeRbac = (rules: Json): Json =>
  typed("envoy.extensions.filters.http.rbac.v3.RBACPerRoute", { rbac: rules });

/** @param rules for all routes; without, each route has its own */
export const httpRbac = (name: string, rules: Json = {}): Json =>
  extension(name, "envoy.extensions.filters.http.rbac.v3.RBAC", rules);
