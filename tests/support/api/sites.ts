import type { Json, serverOfThisFile } from "./expect";

type Server = Pick<ReturnType<typeof serverOfThisFile>, "created">;

/** Makes HTTPS edges with routes on a server, for tests of what happens to requests. */
export const sitesOf = (server: Server) => ({
  /** An edge with routes to a backend that answers 204; paths begin with `match`. */
  async site(hostports: readonly string[], ...routes: Json[]) {
    const edge = await server.created("/edges/https", { hostports });
    const { id } = await server.created("/backends/http_response", { status_code: 204 });
    const made = [];
    for (const route of routes)
      made.push(
        await server.created(`/edges/https/${edge.id}/routes`, {
          match_type: "path_prefix",
          backend: { backend_id: id },
          ...route,
        }),
      );
    return { edge, routes: made, backend: id };
  },

  /** A policy that admits networks, its first rule, and the module that applies it. */
  async only(...cidrs: readonly string[]) {
    const { id } = await server.created("/ip_policies", {});
    const rules = [];
    for (const cidr of cidrs)
      rules.push((await server.created("/ip_policy_rules", { ip_policy_id: id, cidr, action: "allow" })).id);
    return { policy: id, rule: rules[0], ip_restriction: { ip_policy_ids: [id] } };
  },
});
