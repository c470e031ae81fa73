import pulumi
import pulumi_tunnelplane as tunnels

config = pulumi.Config()
web = tunnels.TunnelGroupBackend("web", labels={"some_key": "web"})
app = tunnels.TlsEdge(
    "app",
    description=config.require("description"),
    hostports=["app.example.com:443"],
    backend={"backend_id": web.id},
    tls_termination=tunnels.TlsEdgeTlsTerminationModuleArgs(
        min_version=tunnels.TlsEdgeTlsTerminationModuleMinVersion.V1_3,
    ),
)
site = tunnels.HttpsEdge("site", hostports=["www.example.com:443"])
tunnels.HttpsEdgeRoute(
    "all",
    edge_id=site.id,
    match_type=tunnels.HttpsEdgeRouteMatchType.PATH_PREFIX,
    match="/",
    oidc={
        "issuer": "https://id.example.com",
        "client_id": "site",
        "client_secret": config.require("clientSecret"),
    },
)
agent = tunnels.TunnelCredential("agent", acl=["bind:app.example.com:443"])
found = tunnels.get_tls_edge_output(id=app.id)
pulumi.export("token", agent.token)
pulumi.export("found", found.id)
pulumi.export("version", found.tls_termination.min_version)
