import { stringify } from "yaml";
import { ALARMS, type Alarm } from "./alarms";

const HEADER = "# Generated (`npm run generate`) from tools/generate/alarms.ts.\n";
const GROUP = "tunnelplane";
/** When the promises of alarms are tried: the series of their examples last an hour. */
const AT = "60m";

/** Rules for Prometheus, their tests for promtool, boards for Grafana, and the page about them. */
export const alarmFiles = (): [string, string][] => [
  ["deploy/prometheus/alerts.yaml", HEADER + stringify(rules(), { lineWidth: 0 })],
  ["deploy/prometheus/alerts.test.yaml", HEADER + stringify(tests(), { lineWidth: 0 })],
  ["docs/how-to/alarms.md", page()],
  ["deploy/grafana/server.json", board("tunnelplane server", SERVER_PANELS)],
  ["deploy/grafana/gateway.json", board("tunnelplane gateway", GATEWAY_PANELS)],
];

const rules = () => ({
  groups: [
    {
      name: GROUP,
      rules: ALARMS.map(({ name, severity, expr, for: lasting, summary, means, first }) => ({
        alert: name,
        expr,
        for: lasting,
        labels: { severity },
        annotations: { summary, description: `${means} First: ${first}` },
      })),
    },
  ],
});

const tests = () => ({
  rule_files: ["alerts.yaml"],
  evaluation_interval: "1m",
  tests: ALARMS.flatMap((alarm) => [
    tryOne(alarm, alarm.raisedBy, "is raised"),
    tryOne(alarm, alarm.quietWith, "stays quiet"),
  ]),
});

const tryOne = ({ name }: Alarm, series: Alarm["raisedBy"], what: string) => ({
  name: `${name} ${what}`,
  interval: "1m",
  input_series: Object.entries(series).map(([one, values]) => ({ series: one, values })),
  promql_expr_test: [
    {
      // The labels of what is raised are the rule's own matter.
      expr: `count(ALERTS{alertname="${name}",alertstate="firing"}) > 0`,
      eval_time: AT,
      exp_samples: what === "is raised" ? [{ labels: "{}", value: 1 }] : [],
    },
  ],
});

const page = (): string => `# Alarms

What each alarm means, and what to do about it. Load \`deploy/prometheus/alerts.yaml\` as a rule file of Prometheus, and the
boards of \`deploy/grafana/\` into Grafana. The rules expect the jobs \`tunnelplane\` (servers, [how to scrape them](../operations.md#too-many-requests)) and \`tunnelplane-gateway\`
(gateways, at \`--metrics\`):

\`\`\`yaml
rule_files: [alerts.yaml]
scrape_configs:
  - job_name: tunnelplane
    authorization: { type: Bearer, credentials_file: /etc/prometheus/tunnelplane.key }
    static_configs: [{ targets: ["tunnels.example.com:4040"] }]
  - job_name: tunnelplane-gateway
    static_configs: [{ targets: ["127.0.0.1:4041"] }]
\`\`\`

\`page\` is meant to wake somebody, \`ticket\` can wait for the morning. \`deploy/prometheus/alerts.test.yaml\` has numbers that
raise each rule and numbers that do not, for \`promtool test rules\`. This page is generated (\`npm run generate\`).

| Alarm | | Raised when |
|---|---|---|
${ALARMS.map(({ name, severity, summary }) => `| [${name}](#${name.toLowerCase()}) | ${severity} | ${plain(summary)} |\n`).join("")}
${ALARMS.map(section).join("\n")}
${GROWTH}`;

const section = ({ name, expr, for: lasting, means, first }: Alarm): string => `## ${name}

${means}

**First:** ${first}

\`\`\`promql
${expr}   # for ${lasting}
\`\`\`
`;

/** With the names of the labels that Prometheus fills in. */
const plain = (summary: string): string =>
  summary.replace(/\{\{ \$value \}\}/g, "some").replace(/\{\{ \$labels\.(\w+) \}\}/g, "`$1`");

const GROWTH = `## What grows, and what to do

| | Grows by | Stops growing |
|---|---|---|
| objects | 0.6 KB for a backend, with its indexes; an edge has some KB | with their deletion |
| events | 1.2 KB a change | \`--event-retention\` (30 days): delivered events older than that are removed each hour; those that wait for a destination are kept |
| audit log | 0.5 KB a change, for ever | \`tunnelplane audit archive --before 2026-01-01 --out audit-2025.jsonl\` writes old rows to a file and leaves one row that names its last hash; \`audit verify --with audit-2025.jsonl\` proves the whole chain: [how](../operations.md#an-audit-log-that-grows) |
| sessions, exchanged keys, kept answers | by use | they end by themselves within days |
| the gateway's folder | recorded traffic, at most 10,000 lines an hour | \`--record-traffic\` says how long it is kept |
| an access log | some 0.4 KB a request | \`logrotate\` with \`copytruncate\` |

(1,000 creations of static backends on SQLite, 2026-11-29.) A pipeline that changes 1,000 objects a day writes 1.7 MB a day:
after 30 days, events stay at 36 MB, and the audit log grows by 0.2 GB a year.

SQLite gives freed pages to later rows, and its file does not shrink; \`backup\` and \`restore\` into a new folder do that. PostgreSQL's
autovacuum does the same.
`;

interface Panel {
  readonly title: string;
  readonly expr: string;
  readonly legend: string;
  readonly unit?: string;
}

const SERVER_PANELS: readonly Panel[] = [
  {
    title: "Requests a second, by status",
    expr: "sum by (status) (rate(tunnelplane_http_request_duration_seconds_count[5m]))",
    legend: "{{status}}",
    unit: "reqps",
  },
  {
    title: "99th percentile, by route",
    expr: 'histogram_quantile(0.99, sum by (le, route) (rate(tunnelplane_http_request_duration_seconds_bucket{route!="/events"}[5m])))',
    legend: "{{route}}",
    unit: "s",
  },
  {
    title: "Refused, and cut off",
    expr: "sum(rate(tunnelplane_http_requests_refused_total[5m])) or sum(rate(tunnelplane_http_answers_cut_off_total[5m]))",
    legend: "refused or cut off",
    unit: "reqps",
  },
  {
    title: "Events that wait",
    expr: "max by (destination) (tunnelplane_event_backlog)",
    legend: "{{destination}}",
  },
  {
    title: "Age of the oldest event",
    expr: "max by (destination) (tunnelplane_event_oldest_seconds)",
    legend: "{{destination}}",
    unit: "s",
  },
  {
    title: "Deliveries that failed",
    expr: "sum by (destination) (rate(tunnelplane_event_failures_total[5m]))",
    legend: "{{destination}}",
  },
];

const GATEWAY_PANELS: readonly Panel[] = [
  {
    title: "Requests a second, by class",
    expr: "sum by (class) (rate(tunnelplane_gateway_requests_total[5m]))",
    legend: "{{class}}",
    unit: "reqps",
  },
  {
    title: "Requests a second, by hostport",
    expr: "topk(20, sum by (hostport) (rate(tunnelplane_gateway_requests_total[5m])))",
    legend: "{{hostport}}",
    unit: "reqps",
  },
  {
    title: "95th percentile, by hostport",
    expr: "topk(20, histogram_quantile(0.95, sum by (le, hostport) (rate(tunnelplane_gateway_request_duration_seconds_bucket[5m]))))",
    legend: "{{hostport}}",
    unit: "s",
  },
  {
    title: "Refusals, by module",
    expr: "sum by (module) (rate(tunnelplane_gateway_refusals_total[5m]))",
    legend: "{{module}}",
  },
  {
    title: "Open connections",
    expr: "topk(20, sum by (hostport) (tunnelplane_gateway_connections))",
    legend: "{{hostport}}",
  },
  {
    title: "Bytes a second",
    expr: "sum by (direction) (rate(tunnelplane_gateway_bytes_total[5m]))",
    legend: "{{direction}}",
    unit: "Bps",
  },
  {
    title: "Days until certificates end",
    expr: "bottomk(20, (min by (hostport) (tunnelplane_gateway_certificate_end_timestamp_seconds) - time()) / 86400)",
    legend: "{{hostport}}",
    unit: "d",
  },
  {
    title: "Agents",
    expr: 'topk(20, sum by (hostport) (tunnelplane_gateway_agents{hostport!=""}))',
    legend: "{{hostport}}",
  },
  {
    title: "Edges that are rejected",
    expr: "tunnelplane_gateway_edges_rejected",
    legend: "{{instance}}",
  },
];

/** A board of Grafana. */
const board = (title: string, panels: readonly Panel[]): string =>
  `${JSON.stringify(
    {
      title,
      uid: title.replace(" ", "-"),
      tags: ["tunnelplane"],
      schemaVersion: 39,
      refresh: "1m",
      time: { from: "now-6h", to: "now" },
      templating: {
        list: [{ name: "datasource", type: "datasource", query: "prometheus", label: "Prometheus" }],
      },
      panels: panels.map(({ title: name, expr, legend, unit = "short" }, index) => ({
        id: index + 1,
        type: "timeseries",
        title: name,
        gridPos: { h: 8, w: 12, x: (index % 2) * 12, y: Math.floor(index / 2) * 8 },
        datasource: SOURCE,
        fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
        targets: [{ refId: "A", datasource: SOURCE, expr, legendFormat: legend }],
      })),
    },
    null,
    2,
  )}\n`;

const SOURCE = { type: "prometheus", uid: "$" + "{datasource}" };
