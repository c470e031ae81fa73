/** The modules and settings that can refuse, as their label says. */
export const REFUSING = [
  "ip_restriction",
  "mutual_tls",
  "tls_termination",
  "user_agent_filter",
  "jwt_validation",
  "oidc",
  "webhook_verification",
  "policies",
] as const;
export type Refusing = (typeof REFUSING)[number];

/** In seconds. */
export const DURATION_BUCKETS = [0.005, 0.025, 0.1, 0.5, 2.5, 10] as const;
const CLASSES = ["1xx", "2xx", "3xx", "4xx", "5xx"] as const;

/** What is counted of a hostport. */
export class Counts {
  readonly classes = CLASSES.map(() => 0);
  readonly refusals = new Map<Refusing, number>();
  /** Requests at most as long as each bucket and longer than the one before; the last are longer than all. */
  readonly durations = [...DURATION_BUCKETS, Number.POSITIVE_INFINITY].map(() => 0);
  seconds = 0;
  connections = 0;
  received = 0;
  sent = 0;

  request(status: number, seconds: number): void {
    const at = Math.floor(status / 100) - 1;
    if (this.classes[at] !== undefined) this.classes[at]++;
    const bucket = DURATION_BUCKETS.findIndex((most) => seconds <= most);
    const index = bucket < 0 ? DURATION_BUCKETS.length : bucket;
    this.durations[index] = (this.durations[index] ?? 0) + 1;
    this.seconds += seconds;
  }

  refuse(module: Refusing): void {
    this.refusals.set(module, (this.refusals.get(module) ?? 0) + 1);
  }
}

/** A hostport, and what is known of it besides what is counted. */
export interface Shown {
  readonly hostport: string;
  readonly counts: Counts;
  readonly isHttp: boolean;
  /** When its certificate ends, in seconds; undefined where it has none here. */
  readonly certificateEnd?: number | undefined;
  readonly agents: number;
}

/** The most series that a hostport has. */
export const seriesOf = (isHttp: boolean): number =>
  REFUSING.length + 5 + (isHttp ? CLASSES.length + DURATION_BUCKETS.length + 3 : 0);

type Row = readonly [labels: Readonly<Record<string, string | number>>, value: number, suffix?: string];

interface Metric {
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly rows: (shown: Shown) => Row[];
}

/** The metrics of hostports, each of which has a label `hostport`. */
export const HOSTPORT_METRICS: readonly Metric[] = [
  {
    name: "requests_total",
    type: "counter",
    help: "Requests that were answered, by the class of their status",
    rows: ({ counts }) =>
      CLASSES.flatMap((name, index): Row[] =>
        (counts.classes[index] ?? 0) > 0 ? [[{ class: name }, counts.classes[index] ?? 0]] : [],
      ),
  },
  {
    name: "refusals_total",
    type: "counter",
    help: "Requests and connections that a module refused",
    rows: ({ counts }) => [...counts.refusals].map(([module, count]) => [{ module }, count]),
  },
  {
    name: "request_duration_seconds",
    type: "histogram",
    help: "From the first byte of a request to the last one of its answer",
    rows: ({ counts, isHttp }) => (isHttp ? durationsOf(counts) : []),
  },
  {
    name: "connections",
    type: "gauge",
    help: "Connections that are open and had a request, or whose bytes are passed on",
    rows: ({ counts }) => [[{}, counts.connections]],
  },
  {
    name: "bytes_total",
    type: "counter",
    help: "Bytes that callers sent (received) and got (sent)",
    rows: ({ counts }) => [
      [{ direction: "received" }, counts.received],
      [{ direction: "sent" }, counts.sent],
    ],
  },
  {
    name: "certificate_end_timestamp_seconds",
    type: "gauge",
    help: "When the certificate that is served ends",
    rows: ({ certificateEnd }) => (certificateEnd === undefined ? [] : [[{}, certificateEnd]]),
  },
  {
    name: "agents",
    type: "gauge",
    help: "Agents that serve something; with a hostport, those that serve it",
    rows: ({ agents }) => [[{}, agents]],
  },
];

function durationsOf({ durations, seconds }: Counts): Row[] {
  let sum = 0;
  const buckets = durations.map((count, index): Row => {
    sum += count;
    return [{ le: DURATION_BUCKETS[index] ?? "+Inf" }, sum, "_bucket"];
  });
  return [...buckets, [{}, seconds, "_sum"], [{}, sum, "_count"]];
}

const PREFIX = "tunnelplane_gateway_";

/**
 * The metrics as Prometheus reads them; hostports have no character that would have to be escaped.
 * @param agents how many agents there are in all
 */
export const textOf = (all: readonly Shown[], agents: number): string =>
  HOSTPORT_METRICS.map(({ name, type, help, rows }) => {
    const total = name === "agents" ? [`${PREFIX}${name} ${agents}\n`] : [];
    const lines = all.flatMap((shown) =>
      rows(shown).map(([labels, value, suffix = ""]) => {
        const text = Object.entries({ hostport: shown.hostport, ...labels }).map(
          ([key, one]) => `${key}="${one}"`,
        );
        return `${PREFIX}${name}${suffix}{${text.join(",")}} ${value}\n`;
      }),
    );
    const text = [...total, ...lines].join("");
    return text === "" ? "" : `# HELP ${PREFIX}${name} ${help}\n# TYPE ${PREFIX}${name} ${type}\n${text}`;
  }).join("");
