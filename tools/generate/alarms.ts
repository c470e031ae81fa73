/** An alarm: what raises it, what it means, and what to do first. */
export interface Alarm {
  readonly name: string;
  readonly severity: "page" | "ticket";
  readonly expr: string;
  /** How long it has to last. */
  readonly for: string;
  /** In one line; may name labels as `{{ $labels.hostport }}`. */
  readonly summary: string;
  readonly means: string;
  readonly first: string;
  /** Series, minute by minute as promtool reads them, that raise it after an hour, and that do not. */
  readonly raisedBy: Readonly<Record<string, string>>;
  readonly quietWith: Readonly<Record<string, string>>;
}

const SERVER = 'job="tunnelplane"';
const GATEWAY = 'job="tunnelplane-gateway"';
const REQUESTS = "tunnelplane_http_request_duration_seconds";
const OF_HOSTPORT = 'hostport="app.example.com:443"';
const DAY_S = 86_400;

export const ALARMS: readonly Alarm[] = [
  {
    name: "TunnelplaneServerDown",
    severity: "page",
    expr: `up{${SERVER}} == 0`,
    for: "2m",
    summary: "{{ $labels.instance }} does not answer",
    means:
      "Prometheus cannot read this server. Gateways keep serving what they know. Nobody can change anything here. Agents that were allowed in the last 15 minutes can still connect again.",
    first:
      "`tunnelplane health` on the machine, then the last lines of its log. The log names a full disk, a database that does not answer, or a certificate that ended. If it says 401 or 403, the scrape's API key is wrong.",
    raisedBy: { [`up{${SERVER},instance="s1"}`]: "0x60" },
    quietWith: { [`up{${SERVER},instance="s1"}`]: "1x60" },
  },
  {
    name: "TunnelplaneServerErrors",
    severity: "page",
    expr: `sum by (instance) (rate(${REQUESTS}_count{status=~"5.."}[5m])) / sum by (instance) (rate(${REQUESTS}_count[5m])) > 0.05`,
    for: "5m",
    summary: "{{ $labels.instance }} answers more than 5 % of its requests with 5xx",
    means: "Requests fail at the server. 503 promises that nothing was changed; 500 does not.",
    first:
      "`/readyz`: if it is 503, the database does not answer, or does not take writes. Else look in the log for lines with `status` 500: each has an `operation_id` and the error.",
    raisedBy: {
      [`${REQUESTS}_count{instance="s1",status="500"}`]: "0+10x60",
      [`${REQUESTS}_count{instance="s1",status="200"}`]: "0+90x60",
    },
    quietWith: {
      [`${REQUESTS}_count{instance="s1",status="500"}`]: "0+1x60",
      [`${REQUESTS}_count{instance="s1",status="200"}`]: "0+99x60",
    },
  },
  {
    name: "TunnelplaneServerSlow",
    severity: "ticket",
    expr: `histogram_quantile(0.99, sum by (instance, le) (rate(${REQUESTS}_bucket{route!="/events"}[10m]))) > 1`,
    for: "15m",
    summary: "One of a hundred requests to {{ $labels.instance }} takes more than a second",
    means: "The server or its database is busy. Requests for events wait on purpose, and are not counted.",
    first:
      "Look at the load of its processor and of the database. On one processor, another server on the same PostgreSQL helps; with many reads, `--processes`.",
    raisedBy: {
      [`${REQUESTS}_bucket{instance="s1",route="/edges/tls",le="1"}`]: "0+50x60",
      [`${REQUESTS}_bucket{instance="s1",route="/edges/tls",le="5"}`]: "0+100x60",
      [`${REQUESTS}_bucket{instance="s1",route="/edges/tls",le="+Inf"}`]: "0+100x60",
    },
    quietWith: {
      [`${REQUESTS}_bucket{instance="s1",route="/edges/tls",le="1"}`]: "0+100x60",
      [`${REQUESTS}_bucket{instance="s1",route="/edges/tls",le="+Inf"}`]: "0+100x60",
    },
  },
  {
    name: "TunnelplaneServerRefuses",
    severity: "ticket",
    expr: "sum by (instance) (rate(tunnelplane_http_requests_refused_total[5m])) > 1",
    for: "10m",
    summary: "{{ $labels.instance }} refuses requests because too many come at once",
    means:
      "More requests arrive at once than `--concurrency-limit` admits. Clients try again, so pipelines get slower.",
    first:
      "Find the caller in the log: lines with `TP_1802` have its API key. One owner gets at most half of the slots. If the load is normal, add a server on PostgreSQL.",
    raisedBy: { 'tunnelplane_http_requests_refused_total{instance="s1"}': "0+120x60" },
    quietWith: { 'tunnelplane_http_requests_refused_total{instance="s1"}': "0+6x60" },
  },
  {
    name: "TunnelplaneAnswersCutOff",
    severity: "ticket",
    expr: "sum by (instance) (rate(tunnelplane_http_answers_cut_off_total[10m])) > 0.1",
    for: "15m",
    summary: "{{ $labels.instance }} cuts off answers that nobody reads",
    means: "A client asks for much and reads nothing of it, or its network is very slow.",
    first:
      "The log has `answer cut off` with the client's address: stop that client, or have it ask for smaller pages.",
    raisedBy: { 'tunnelplane_http_answers_cut_off_total{instance="s1"}': "0+30x60" },
    quietWith: { 'tunnelplane_http_answers_cut_off_total{instance="s1"}': "0+1x60" },
  },
  {
    name: "TunnelplaneEventsLate",
    severity: "ticket",
    expr: "max by (destination) (tunnelplane_event_oldest_seconds) > 900",
    for: "5m",
    summary: "Events to {{ $labels.destination }} wait for more than 15 minutes",
    means:
      "The destination does not take events. They wait in order and become dead letters 24 hours after their first attempt.",
    first:
      "`tunnelplane events deliveries <destination>` shows what the service answered; `tunnelplane events test <destination>` tries it now.",
    raisedBy: { 'tunnelplane_event_oldest_seconds{destination="ed_1",instance="s1"}': "0+60x60" },
    quietWith: { 'tunnelplane_event_oldest_seconds{destination="ed_1",instance="s1"}': "60x60" },
  },
  {
    name: "TunnelplaneEventsDead",
    severity: "ticket",
    expr: "max by (destination) (tunnelplane_event_dead_letters) > 0",
    for: "1m",
    summary: "Events to {{ $labels.destination }} were given up",
    means:
      "The destination refused these events permanently, or failed for 24 hours. They are not sent again.",
    first:
      "`tunnelplane events deliveries <destination>` has the service's words. Correct the destination, then `tunnelplane events replay <destination> --dead-letters`.",
    raisedBy: { 'tunnelplane_event_dead_letters{destination="ed_1",instance="s1"}': "3x60" },
    quietWith: { 'tunnelplane_event_dead_letters{destination="ed_1",instance="s1"}': "0x60" },
  },
  {
    name: "TunnelplaneGatewayDown",
    severity: "page",
    expr: `up{${GATEWAY}} == 0`,
    for: "2m",
    summary: "The gateway {{ $labels.instance }} does not answer",
    means:
      "Its Envoy continues with what it has: it serves static backends, but hostports of agents get no answer, and no change is enforced there.",
    first:
      "`systemctl status tunnelplane-gateway` and its log. Balancers ask `/livez`; if that is 503 too, take the machine out.",
    raisedBy: { [`up{${GATEWAY},instance="g1"}`]: "0x60" },
    quietWith: { [`up{${GATEWAY},instance="g1"}`]: "1x60" },
  },
  {
    name: "TunnelplaneGatewayNotTaken",
    severity: "page",
    expr: "tunnelplane_gateway_taken == 0",
    for: "2m",
    summary: "Envoy at {{ $labels.instance }} has not taken the newest configuration",
    means:
      "The newest declaration is not enforced there, not even one that closes something. Envoy still serves what it took before.",
    first:
      "`/readyz` says why, and the gateway's log has Envoy's words. If Envoy does not run, start it; if its memory or descriptors are used up, raise them.",
    raisedBy: { 'tunnelplane_gateway_taken{instance="g1"}': "0x60" },
    quietWith: { 'tunnelplane_gateway_taken{instance="g1"}': "1x60" },
  },
  {
    name: "TunnelplaneEdgesRejected",
    severity: "ticket",
    expr: "tunnelplane_gateway_edges_rejected > 0",
    for: "5m",
    summary: "{{ $labels.instance }} does not serve {{ $value }} edges as they are declared",
    means:
      "Something that these edges need is missing or cannot be enforced. The gateway refuses the requests that it could not serve with every check.",
    first:
      "`tunnelplane gateways` lists each with its reason: a certificate, a port, an issuer, a network that is denied.",
    raisedBy: { 'tunnelplane_gateway_edges_rejected{instance="g1"}': "2x60" },
    quietWith: {
      'tunnelplane_gateway_edges_rejected{instance="g1"}': "0x60",
      'tunnelplane_gateway_edges_applied{instance="g1"}': "5x60",
    },
  },
  {
    name: "TunnelplaneGatewayBehind",
    severity: "page",
    expr: "time() - tunnelplane_gateway_server_read_timestamp_seconds > 300",
    for: "1m",
    summary: "{{ $labels.instance }} has not read the server for 5 minutes",
    means: "Changes do not arrive there. It keeps serving what it read last.",
    first:
      "The log says `the server could not be read` and why: the network, the server, or the gateway's API key.",
    raisedBy: { 'tunnelplane_gateway_server_read_timestamp_seconds{instance="g1"}': "0x60" },
    quietWith: { 'tunnelplane_gateway_server_read_timestamp_seconds{instance="g1"}': "0+60x60" },
  },
  {
    name: "TunnelplaneGatewayFails",
    severity: "ticket",
    expr: "increase(tunnelplane_gateway_failures[15m]) > 5",
    for: "5m",
    summary: "{{ $labels.instance }} fails again and again",
    means: "The gateway fails to read the server or to configure Envoy, and tries again.",
    first: "The gateway's log names each failure, once a minute.",
    raisedBy: { 'tunnelplane_gateway_failures{instance="g1"}': "0+1x60" },
    quietWith: {
      'tunnelplane_gateway_failures{instance="g1"}': "1x60",
      'tunnelplane_gateway_changes{instance="g1"}': "0+9x60",
    },
  },
  {
    name: "TunnelplaneCertificateEnds",
    severity: "page",
    expr: `min by (hostport) (tunnelplane_gateway_certificate_end_timestamp_seconds) - time() < ${7 * DAY_S}`,
    for: "1m",
    summary: "The certificate of {{ $labels.hostport }} ends within seven days",
    means: "It should have been renewed. Once it has ended, the edge is rejected.",
    first:
      "With a `certificate_management_policy`: `tunnelplane describe <reserved domain>` has the authority's words in `provisioning_job`. With files: look at your ACME client, and at the copies in the gateway's folder.",
    raisedBy: {
      [`tunnelplane_gateway_certificate_end_timestamp_seconds{${OF_HOSTPORT},instance="g1"}`]: `${3 * DAY_S}x60`,
    },
    quietWith: {
      [`tunnelplane_gateway_certificate_end_timestamp_seconds{${OF_HOSTPORT},instance="g1"}`]: `${30 * DAY_S}x60`,
    },
  },
  {
    name: "TunnelplaneAgentsGone",
    severity: "page",
    expr: 'sum by (hostport) (tunnelplane_gateway_agents{hostport!=""}) == 0 and sum by (hostport) (max_over_time(tunnelplane_gateway_agents{hostport!=""}[1h])) > 0',
    for: "2m",
    summary: "No agent serves {{ $labels.hostport }} any more",
    means: "Its agents were there within the last hour. Callers get 503, or the connection ends.",
    first:
      "`tunnelplane sessions` shows who is connected. At the app: is `ssh -R` running, and does its log say that the bind was refused? A credential that was deleted or narrowed loses its sessions.",
    raisedBy: { [`tunnelplane_gateway_agents{${OF_HOSTPORT},instance="g1"}`]: "1x50 0x10" },
    quietWith: { [`tunnelplane_gateway_agents{${OF_HOSTPORT},instance="g1"}`]: "2x50 1x10" },
  },
  {
    name: "TunnelplaneHostportErrors",
    severity: "page",
    expr: 'sum by (hostport) (rate(tunnelplane_gateway_requests_total{class="5xx"}[5m])) / sum by (hostport) (rate(tunnelplane_gateway_requests_total[5m])) > 0.05',
    for: "5m",
    summary: "{{ $labels.hostport }} answers more than 5 % of its requests with 5xx",
    means: "The app answers 5xx, or the gateway cannot reach it (503).",
    first:
      "The access log: `refused_by` is null, `status` 503 with few bytes is the gateway's own. Then look at the backend's address, its TLS, and its agents.",
    raisedBy: {
      [`tunnelplane_gateway_requests_total{${OF_HOSTPORT},class="5xx"}`]: "0+10x60",
      [`tunnelplane_gateway_requests_total{${OF_HOSTPORT},class="2xx"}`]: "0+90x60",
    },
    quietWith: {
      [`tunnelplane_gateway_requests_total{${OF_HOSTPORT},class="5xx"}`]: "0+1x60",
      [`tunnelplane_gateway_requests_total{${OF_HOSTPORT},class="2xx"}`]: "0+99x60",
    },
  },
  {
    name: "TunnelplaneHostportSlow",
    severity: "ticket",
    expr: "histogram_quantile(0.95, sum by (hostport, le) (rate(tunnelplane_gateway_request_duration_seconds_bucket[10m]))) > 2.5",
    for: "15m",
    summary: "One of twenty requests to {{ $labels.hostport }} takes more than 2.5 s",
    means:
      "The app is slow, or callers are: a request lasts until its answer is read. Streams and downloads count as long.",
    first: "Compare `duration_ms` of the access log with the app's own times.",
    raisedBy: {
      [`tunnelplane_gateway_request_duration_seconds_bucket{${OF_HOSTPORT},le="2.5"}`]: "0+50x60",
      [`tunnelplane_gateway_request_duration_seconds_bucket{${OF_HOSTPORT},le="10"}`]: "0+100x60",
      [`tunnelplane_gateway_request_duration_seconds_bucket{${OF_HOSTPORT},le="+Inf"}`]: "0+100x60",
    },
    quietWith: {
      [`tunnelplane_gateway_request_duration_seconds_bucket{${OF_HOSTPORT},le="2.5"}`]: "0+100x60",
      [`tunnelplane_gateway_request_duration_seconds_bucket{${OF_HOSTPORT},le="+Inf"}`]: "0+100x60",
    },
  },
  {
    name: "TunnelplaneRefusals",
    severity: "ticket",
    expr: "sum by (hostport, module) (rate(tunnelplane_gateway_refusals_total[10m])) > 1",
    for: "10m",
    summary: "{{ $labels.module }} refuses many callers of {{ $labels.hostport }}",
    means: "Somebody tries to get in, or somebody who should be let in is kept out since a change.",
    first:
      "The access log has the callers (`refused_by`). `tunnelplane ask` with such a request says which rule decides; `GET /audit_events` what changed last.",
    raisedBy: { [`tunnelplane_gateway_refusals_total{${OF_HOSTPORT},module="ip_restriction"}`]: "0+120x60" },
    quietWith: { [`tunnelplane_gateway_refusals_total{${OF_HOSTPORT},module="ip_restriction"}`]: "0+6x60" },
  },
];
