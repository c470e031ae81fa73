import json
import sys

from tunnelplane_client import AuthenticatedClient
from tunnelplane_client.api.tls_edge import (
    create_tls_edge,
    delete_tls_edge,
    list_tls_edges,
    replace_tls_edge_backend,
    update_tls_edge,
)
from tunnelplane_client.api.tunnel_credential import create_tunnel_credential
from tunnelplane_client.api.tunnel_group_backend import create_tunnel_group_backend
from tunnelplane_client.models import (
    EndpointBackendMutate,
    EndpointPoliciesMutate,
    EndpointPolicyMutate,
    EndpointTLSTerminationMutate,
    Error,
    RateLimitAction,
    RateLimitActionConfig,
    TlsEdge,
    TlsEdgeCreate,
    TlsEdgeUpdate,
    TunnelCredentialCreate,
    TunnelGroupBackendCreate,
)

url, key = sys.argv[1:]
client = AuthenticatedClient(base_url=url, token=key)

web = create_tunnel_group_backend.sync(client=client, body=TunnelGroupBackendCreate.from_dict({"labels": {"app": "web"}}))
limit = RateLimitAction(type_="rate-limit", config=RateLimitActionConfig(name="all", capacity=10, rate="60s"))
edge = create_tls_edge.sync(
    client=client,
    body=TlsEdgeCreate(
        hostports=["typed.example.com:443"],
        backend=EndpointBackendMutate(backend_id=web.id),
        tls_termination=EndpointTLSTerminationMutate.from_dict({"terminate_at": "edge", "min_version": "1.3"}),
        policies=EndpointPoliciesMutate(inbound=[EndpointPolicyMutate(actions=[limit])]),
    ),
)
assert isinstance(edge, TlsEdge), edge
changed = update_tls_edge.sync(edge.id, client=client, body=TlsEdgeUpdate(description="1.1"))
module = replace_tls_edge_backend.sync(edge.id, client=client, body=EndpointBackendMutate(backend_id=web.id, enabled=False))
page = list_tls_edges.sync(client=client, limit=1)
credential = create_tunnel_credential.sync(client=client, body=TunnelCredentialCreate())
refused = create_tls_edge.sync(client=client, body=TlsEdgeCreate(hostports=["no port"]))
assert isinstance(refused, Error), refused
gone = delete_tls_edge.sync_detailed(edge.id, client=client)

print(
    json.dumps(
        {
            "minVersion": edge.tls_termination.min_version,
            "action": edge.policies.inbound[0].actions[0].type_,
            "description": changed.description,
            "enabled": module.enabled,
            "backend": module.backend.id == web.id,
            "listed": [one.id == edge.id for one in page.tls_edges],
            "next": page.next_page_uri,
            "token": "string" if isinstance(credential.token, str) else None,
            "refused": refused.error_code,
            "gone": gone.status_code,
        }
    )
)
