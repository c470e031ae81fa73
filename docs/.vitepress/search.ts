import type { DefaultTheme } from "vitepress";

/** Words that people search for, and that a page does not use or has among many others. */
const ALSO_CALLED: Readonly<Record<string, string>> = {
  "tutorial.md": "your first tunnel, first tunnel, quickstart getting started install hello world",
  "concepts.md": "architecture overview basics introduction terms",
  "faq.md": "FAQ alternatives compared ngrok Cloudflare Tunnel Tailscale frp Terraform price limits",
  "support.md": "versions compatibility end of life EOL LTS deprecation contact",
  "adopt.md": "import importing imports existing objects reverse migrate onboarding",
  "how-to/grpc.md": "gRPC HTTP/2 h2 h2c ALPN protobuf streams trailers",
  "how-to/behind-a-load-balancer.md":
    "HAProxy nginx AWS NLB ALB Azure PROXY protocol X-Forwarded-For client IP",
  "how-to/unusual-requests.md": "400 421 426 431 502 503 504 encoded slash underscore semicolon HTTP/1.0",
  "how-to/mutual-tls.md": "mTLS client certificate authentication two-way SSL X.509 CA",
  "how-to/oidc.md":
    "SSO single sign-on login OAuth OpenID Google Okta Keycloak Auth0 Entra visitors of a site",
  "how-to/sign-in.md":
    "SSO single sign-on login log in OpenID OIDC password LDAP SAML people console session",
  "how-to/ssh-certificates.md": "SSH keys authorized_keys known_hosts sshd CA",
  "how-to/event-pipelines.md": "log shipping audit trail SIEM export Kinesis Firehose CloudWatch Datadog",
  "how-to/guarantees.md": "invariants assertions compliance guardrails never",
  "how-to/components.md": "ComponentResource module abstraction template Tunnel ProtectedSite",
  "how-to/ends.md": "expiry expire TTL temporary access time limit until",
  "how-to/accounts.md":
    "service account, service accounts, a service account for bots; API keys tokens bearer rotate revoke",
  "how-to/roles.md": "RBAC permissions authorization scopes least privilege read-only viewer",
  "how-to/teams.md": "team tenants multi-tenancy projects organizations namespaces isolation",
  "how-to/move.md": "migrate transfer rename another server",
  "how-to/ci.md": "pipeline GitHub Actions GitLab CI/CD pull request comment SARIF",
  "how-to/ci-without-keys.md": "workload identity OIDC federation keyless token exchange",
  "how-to/ask.md": "what if simulate test request reachability debug 403 why refused",
  "how-to/traffic.md": "access logs replay yesterday requests affected",
  "review.md": "pull request diff code review findings",
  "policies.md": "policy as code CrossGuard OPA lint rules standards",
  "gateway.md": "Envoy proxy ingress reverse proxy port forward forwarding agent ssh -R load balancer",
  "native.md": "Python Go C# .NET Java YAML provider plugin SDK",
  "deploy.md": "Docker Compose PostgreSQL container image Kubernetes systemd install production",
  "operations.md":
    "backup restore disaster recovery upgrade monitoring metrics Prometheus health high availability HA PostgreSQL",
  "gateway-operations.md":
    "metrics monitoring Prometheus Grafana reload drain certificates renew Let's Encrypt ACME certbot",
  "console.md": "web UI GUI dashboard user interface",
  "settings.md": "configuration environment variables options flags rate limit throttling 429 port",
  "errors.md": "error codes troubleshooting status 400 403 404 409 412 429",
  "performance.md": "benchmark load throughput latency sizing scale",
  "commands.md": "CLI command line terminal shell",
  "catalogue.md": "YAML file declare without programming",
  "changesets.md": "apply bulk batch transaction declarative desired state",
  "previews.md": "dry run plan validate",
  "meaning.md": "exposure who can reach findings semantics decision",
  "events.md": "webhook notification email Slack alert callback push audit destinations subscriptions",
  "client.md": "TypeScript SDK JavaScript library REST API Node",
  "reference/ip_policy.md":
    "whitelist allowlist blocklist denylist IP filter firewall CIDR restrict addresses",
  "reference/tls_edge.md": "TLS SSL termination minimum version passthrough TCP",
  "reference/https_edge.md": "HTTP HTTPS website domain host name",
  "reference/https_edge_route.md":
    "path routing headers compression circuit breaker webhook verification rate-limit url-rewrite redirect",
  "reference/certificate_authority.md": "CA trust root PEM",
};

/**
 * How much a result counts, by its address: guides before examples, and these before references. The entry of
 * a page as a whole, which has no anchor, goes before sections that only mention a word. It runs in the browser
 * too, from nothing but its text, so it refers to nothing outside.
 */
function weightOf(address: string): number {
  const whole = address.includes("#") ? 1 : 2.5;
  if (/^\/(?:reference\/|commands\.html)/.test(address)) return whole * 0.35;
  if (/^\/examples\//.test(address)) return whole * 0.7;
  if (/^\/(?:settings|errors|performance|glossary)\.html/.test(address)) return whole * 0.8;
  return whole * (/^\/(?:tutorial|how-to\/)/.test(address) ? 1.6 : 1.2);
}

/** A term of a question as the index has it, or null where it says nothing about what is wanted. */
function termOf(term: string): string | null {
  const word = term.toLowerCase();
  return /^(?:a|an|and|can|do|does|for|how|i|in|is|let|my|of|on|or|s|the|to|what|with)$/.test(word)
    ? null
    : word;
}

/** Search in an index that is part of the site: no service is asked. */
export const search: DefaultTheme.Config["search"] = {
  provider: "local",
  options: {
    miniSearch: {
      searchOptions: {
        boost: { title: 4, text: 2, titles: 1 },
        boostDocument: weightOf,
        processTerm: termOf,
      },
    },
    _render(source, env, markdown) {
      const html = markdown.render(source, env);
      if (env.frontmatter?.search === false) return "";
      const words = ALSO_CALLED[env.relativePath];
      // The index has one entry for each heading. This one stands for the page as a whole.
      return words ? `<h1>${env.title} <a href="#">page</a></h1>${words}${html}` : html;
    },
  },
};
