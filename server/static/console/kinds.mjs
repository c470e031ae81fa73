// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.

/** The kinds of objects, in the order of the contract. */
export const KINDS = [
  {
    "kind": "tunnel_credential",
    "one": "Tunnel credential",
    "title": "Tunnel credentials",
    "path": "/credentials",
    "listKey": "credentials",
    "idPrefix": "cr",
    "access": "owner",
    "doc": "An authtoken with which an agent starts tunnel sessions. Its ACL limits what those sessions may bind. Only its owner, viewers and admins can see it.",
    "secrets": [
      "token"
    ]
  },
  {
    "kind": "ssh_credential",
    "one": "SSH credential",
    "title": "SSH credentials",
    "path": "/ssh_credentials",
    "listKey": "ssh_credentials",
    "idPrefix": "sshcr",
    "access": "owner",
    "doc": "A public key that may start tunnels through the SSH gateway. Its ACL limits what those tunnels may bind. Only its owner, viewers and admins can see it.",
    "secrets": []
  },
  {
    "kind": "ssh_certificate_authority",
    "one": "SSH certificate authority",
    "title": "SSH certificate authorities",
    "path": "/ssh_certificate_authorities",
    "listKey": "ssh_certificate_authorities",
    "idPrefix": "sshca",
    "access": "everyone",
    "doc": "A key pair that signs SSH certificates for users and hosts. The server generates it; the private key never leaves the server.",
    "secrets": []
  },
  {
    "kind": "ssh_user_certificate",
    "one": "SSH user certificate",
    "title": "SSH user certificates",
    "path": "/ssh_user_certificates",
    "listKey": "ssh_user_certificates",
    "idPrefix": "sucrt",
    "access": "everyone",
    "doc": "A certificate with which the holder of a key logs in over SSH, for a limited time, wherever its authority is trusted.",
    "secrets": []
  },
  {
    "kind": "ssh_host_certificate",
    "one": "SSH host certificate",
    "title": "SSH host certificates",
    "path": "/ssh_host_certificates",
    "listKey": "ssh_host_certificates",
    "idPrefix": "shcrt",
    "access": "everyone",
    "doc": "A certificate with which a host proves its names to SSH clients that trust its authority. Users need not compare fingerprints then.",
    "secrets": []
  },
  {
    "kind": "certificate_authority",
    "one": "Certificate authority",
    "title": "Certificate authorities",
    "path": "/certificate_authorities",
    "listKey": "certificate_authorities",
    "idPrefix": "ca",
    "access": "everyone",
    "doc": "An X.509 certificate authority whose client certificates an edge accepts for mutual TLS. Only the certificate is uploaded, never its key.",
    "secrets": []
  },
  {
    "kind": "ip_policy",
    "one": "IP policy",
    "title": "IP policies",
    "path": "/ip_policies",
    "listKey": "ip_policies",
    "idPrefix": "ipp",
    "access": "everyone",
    "doc": "A named set of rules that say which source addresses may connect. Its rules are objects of their own; deleting a policy deletes them.",
    "secrets": []
  },
  {
    "kind": "ip_policy_rule",
    "one": "IP policy rule",
    "title": "IP policy rules",
    "path": "/ip_policy_rules",
    "listKey": "ip_policy_rules",
    "idPrefix": "ipr",
    "access": "everyone",
    "doc": "Allows or denies one network within an IP policy.",
    "secrets": []
  },
  {
    "kind": "tunnel_group_backend",
    "one": "Tunnel-group backend",
    "title": "Tunnel-group backends",
    "path": "/backends/tunnel_group",
    "listKey": "backends",
    "idPrefix": "bkdtg",
    "access": "everyone",
    "doc": "Sends traffic to every tunnel that has all of these labels.",
    "secrets": []
  },
  {
    "kind": "failover_backend",
    "one": "Failover backend",
    "title": "Failover backends",
    "path": "/backends/failover",
    "listKey": "backends",
    "idPrefix": "bkdfo",
    "access": "everyone",
    "doc": "Sends traffic to the first of its backends that can take it.",
    "secrets": []
  },
  {
    "kind": "weighted_backend",
    "one": "Weighted backend",
    "title": "Weighted backends",
    "path": "/backends/weighted",
    "listKey": "backends",
    "idPrefix": "bkdwd",
    "access": "everyone",
    "doc": "Spreads traffic over its backends in proportion to their weights.",
    "secrets": []
  },
  {
    "kind": "http_response_backend",
    "one": "HTTP-response backend",
    "title": "HTTP-response backends",
    "path": "/backends/http_response",
    "listKey": "backends",
    "idPrefix": "bkdhr",
    "access": "everyone",
    "doc": "Answers every request with the same response, for example a maintenance page.",
    "secrets": []
  },
  {
    "kind": "static_backend",
    "one": "Static backend",
    "title": "Static backends",
    "path": "/backends/static",
    "listKey": "backends",
    "idPrefix": "bkdsc",
    "access": "everyone",
    "doc": "Sends traffic to a fixed address.",
    "secrets": []
  },
  {
    "kind": "tls_edge",
    "one": "TLS edge",
    "title": "TLS edges",
    "path": "/edges/tls",
    "listKey": "tls_edges",
    "idPrefix": "edgtls",
    "access": "everyone",
    "doc": "Serves hostports over TLS and sends their traffic to a backend. Its modules restrict, authenticate and shape that traffic; each can be declared here or as a resource of its own.",
    "secrets": []
  },
  {
    "kind": "https_edge",
    "one": "HTTPS edge",
    "title": "HTTPS edges",
    "path": "/edges/https",
    "listKey": "https_edges",
    "idPrefix": "edghts",
    "access": "everyone",
    "doc": "Serves hostports over HTTPS and hands each request to the route that matches its path. Deleting an edge deletes its routes, which have at most 4 MiB together.",
    "secrets": []
  },
  {
    "kind": "https_edge_route",
    "one": "HTTPS edge route",
    "title": "HTTPS edge routes",
    "path": "/edges/https/{edge_id}/routes",
    "listKey": "routes",
    "idPrefix": "edghtsrt",
    "access": "everyone",
    "doc": "Handles the requests whose path matches: its modules decide who may send them, and its backend gets them.",
    "secrets": [
      "oidc.client_secret"
    ]
  },
  {
    "kind": "event_destination",
    "one": "Event destination",
    "title": "Event destinations",
    "path": "/event_destinations",
    "listKey": "event_destinations",
    "idPrefix": "ed",
    "access": "admin",
    "doc": "A service that receives events, with the credentials for it. It has no effect until a subscription names it. Only admins may change it; only they and viewers see it.",
    "secrets": [
      "target.delivery_service.auth.creds.cloud_secret_access_key",
      "target.stream_service.auth.creds.cloud_secret_access_key",
      "target.log_service.auth.creds.cloud_secret_access_key",
      "target.monitoring_service.api_key"
    ]
  },
  {
    "kind": "event_subscription",
    "one": "Event subscription",
    "title": "Event subscriptions",
    "path": "/event_subscriptions",
    "listKey": "event_subscriptions",
    "idPrefix": "esb",
    "access": "admin",
    "doc": "Sends the events of some types to some destinations. Only admins may change it; only they and viewers see it.",
    "secrets": []
  },
  {
    "kind": "guarantee",
    "one": "Guarantee",
    "title": "Guarantees",
    "path": "/guarantees",
    "listKey": "guarantees",
    "idPrefix": "grnt",
    "access": "adminsWrite",
    "doc": "A condition for requests: all that it covers must be let in, or none of them. The server refuses a change after which an enforced guarantee would no longer hold. Only admins may change it.",
    "secrets": []
  },
  {
    "kind": "project",
    "one": "Project",
    "title": "Projects",
    "path": "/projects",
    "listKey": "projects",
    "idPrefix": "proj",
    "access": "account",
    "doc": "A part of the account whose objects exist for its members alone. Every object belongs for good to the project in which it was made. `default` exists from the start; it cannot be deleted or get another name. A project that holds objects cannot be deleted. Only admins of the account may change it; members see those in which they have a role.",
    "secrets": []
  },
  {
    "kind": "membership",
    "one": "Membership",
    "title": "Memberships",
    "path": "/memberships",
    "listKey": "memberships",
    "idPrefix": "mbr",
    "access": "admin",
    "doc": "Gives a user, a bot or a group of users a role in a project or in the whole account. Memberships add: the strongest role holds. Only admins may change it; only they and viewers see it.",
    "secrets": []
  },
  {
    "kind": "api_key",
    "one": "API key",
    "title": "API keys",
    "path": "/api_keys",
    "listKey": "keys",
    "idPrefix": "ak",
    "access": "owner",
    "doc": "A key with which its owner calls this API. Deleting it revokes it at once, on other servers of the same database within a second. Only its owner, viewers and admins can see it.",
    "secrets": [
      "token"
    ]
  },
  {
    "kind": "bot_user",
    "one": "Bot user",
    "title": "Bot users",
    "path": "/bot_users",
    "listKey": "bot_users",
    "idPrefix": "bot",
    "access": "admin",
    "doc": "An owner of API keys and credentials that is not a person, for example a pipeline or a service. Its role decides what its API keys may do. Only admins may change it; only they and viewers see it.",
    "secrets": []
  },
  {
    "kind": "workload_identity",
    "one": "Workload identity",
    "title": "Workload identities",
    "path": "/workload_identities",
    "listKey": "workload_identities",
    "idPrefix": "wid",
    "access": "admin",
    "doc": "Lets jobs of a pipeline work as a bot without an API key: `POST /token` exchanges an identity token of theirs, which its issuer signed, for an API key that soon ends. Changing or deleting the identity ends the keys that came of it. Only admins may change it; only they and viewers see it.",
    "secrets": []
  }
];
