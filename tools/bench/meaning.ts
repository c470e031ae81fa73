import { review, write } from "@tunnelplane/pulumi/review";
import {
  compareAccess,
  type DecisionRequest,
  decisions,
  type World,
  type WorldObject,
} from "@tunnelplane/sdk/meaning";
import { readTraffic, replayTraffic, type TrafficLine } from "@tunnelplane/sdk/traffic";
import { medianBy, type Row, type Section } from "./report/section";
import { amount, type Settings } from "./settings";

const SIZES = [1_000, 10_000];
const DECISIONS = 100_000;
const RESOURCES = 1_000;
const [LINES, TEXTS] = [1_000_000, 10_000];
const CHUNK_BYTES = 65_536;
const GOALS: Readonly<Record<string, number>> = {
  "compare 1000 equal": 100,
  "compare 1000 ten changed": 1_000,
};

/** Measures what deciding requests and comparing worlds costs, without a server. */
export async function measureMeaning({ rounds }: Settings): Promise<Section[]> {
  const rows: Row[] = [];
  for (const addresses of SIZES.map(amount)) {
    const before = worldOf(addresses);
    const changes: Readonly<Record<string, World>> = {
      equal: worldOf(addresses),
      "one changed": changed(before, ["edgtls_7"]),
      "ten changed": changed(
        before,
        Array.from({ length: 10 }, (_, number) => `edgtls_${number}`),
      ),
      "a rule of a quarter changed": widened(before),
    };
    for (const [change, after] of Object.entries(changes)) {
      const all = Array.from({ length: rounds }, () => timed(() => compareAccess(before, after)));
      const { ms, value } = medianBy(all, (one) => one.ms);
      const goal = GOALS[`compare ${addresses} ${change}`] ?? null;
      rows.push({ addresses, work: `compare: ${change}`, ms, goal, combinations: value.combinations });
    }
    const decider = decisions(before);
    const requests = requestsTo(addresses);
    for (const request of requests) decider.decide(request);
    const { ms } = timed(() => {
      for (let number = 0; number < amount(DECISIONS); number++)
        decider.decide(requests[number % requests.length] as DecisionRequest);
    });
    rows.push({
      addresses,
      work: `decide: ${amount(DECISIONS).toLocaleString("en")} requests`,
      ms,
      goal: amount(DECISIONS) / 100,
      combinations: null,
    });
  }
  for (const [change, count] of Object.entries({ none: 0, ten: 10 })) {
    const preview = previewOf(count);
    const all = Array.from({ length: rounds }, () => timed(() => write(review(preview), "markdown")));
    const { ms } = medianBy(all, (one) => one.ms);
    const work = `review of ${amount(RESOURCES).toLocaleString("en")} resources: ${change} changed`;
    rows.push({ addresses: amount(RESOURCES), work, ms, goal: 2_000, combinations: null });
  }
  rows.push(await measureTraffic());
  return [
    {
      part: "meaning",
      title: "WorldDecider requests, and comparing what is let in",
      note: "Processor time of one comparison of two worlds, of decisions in an index that was made before, and of a review of a preview (TLS edges), from its JSON to Markdown, and of recorded traffic, read and decided before and after a change. Half of the addresses are TLS edges, half routes of HTTPS edges with user agents and policies; no regular expression is searched twice for one text.",
      columns: {
        addresses: "addresses",
        work: "work",
        ms: "CPU ms",
        goal: "goal, at most",
        combinations: "combinations",
      },
      rows,
    },
  ];
}

/** A rule of a quarter of the addresses changes. */
async function measureTraffic(): Promise<Row> {
  const addresses = amount(10_000);
  const before = worldOf(addresses);
  const start = process.cpuUsage();
  const { requests, refused, opened } = await replayTraffic(readTraffic(recorded(addresses)), {
    before,
    after: widened(before),
  });
  const { user, system } = process.cpuUsage(start);
  if (requests !== amount(LINES) || refused + opened === 0)
    throw new Error("The replay of traffic counted wrongly");
  const work = `traffic: ${amount(LINES).toLocaleString("en")} lines, ${amount(TEXTS).toLocaleString("en")} different`;
  return { addresses, work, ms: (user + system) / 1000, goal: 30_000, combinations: null };
}

/** The bytes of recorded traffic, as a file's stream has them. */
function* recorded(addresses: number): Generator<Uint8Array> {
  const lines = Array.from({ length: amount(TEXTS) }, (_, number) => {
    const name = `${number % 2 === 0 ? "t" : "h"}${number % (addresses / 4)}.example.com`;
    const line: TrafficLine = {
      hour: "2026-11-22T14:00:00Z",
      count: 1,
      address: `${name}:443`,
      host: name,
      method: "GET",
      path: `/api/${number}`,
      from: number % 3 === 0 ? "10.0.7.0/24" : `11.0.${number % 256}.0/24`,
      client_certificate: { authority: "ca_1", subject: "ca" },
      token: null,
      session: null,
      user_agent: "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
      tls: "1.3",
      status: 200,
    };
    return `${JSON.stringify(line)}\n`;
  });
  const bytes = Buffer.from(lines.join(""));
  for (let turn = 0; turn < amount(LINES) / amount(TEXTS); turn++)
    for (let start = 0; start < bytes.length; start += CHUNK_BYTES)
      yield bytes.subarray(start, start + CHUNK_BYTES);
}

function timed<T>(work: () => T): { readonly ms: number; readonly value: T } {
  const start = process.cpuUsage();
  const value = work();
  const { user, system } = process.cpuUsage(start);
  return { ms: (user + system) / 1000, value };
}

const enabled = (fields: object) => ({ enabled: true, ...fields });
const object = (kind: string, id: string, fields: object): WorldObject => ({
  kind,
  id,
  fields: { id, ...fields },
});

function worldOf(addresses: number): World {
  const tls = Array.from({ length: addresses / 2 }, (_, number) =>
    object("tls_edge", `edgtls_${number}`, {
      hostports: [`t${number}.example.com:443`],
      mutual_tls: number % 3 === 0 ? enabled({ certificate_authorities: [{ id: "ca_1" }] }) : null,
      ip_restriction: number % 2 === 0 ? enabled({ ip_policies: [{ id: "ipp_1" }] }) : null,
    }),
  );
  const https = Array.from({ length: addresses / 4 }, (_, number) => [
    object("https_edge", `edghts_${number}`, { hostports: [`h${number}.example.com:443`] }),
    ...["/", "/api"].map((match) =>
      object("https_edge_route", `rt_${number}_${match}`, {
        edge_id: `edghts_${number}`,
        match_type: "path_prefix",
        match,
        backend: enabled({ backend: { id: "bkdst_1" } }),
        user_agent_filter: enabled({ allow: [], deny: ["(?i)bot"] }),
        policies: enabled({
          inbound: [
            {
              name: "admins",
              expressions: ['req.path.startsWith("/admin")', 'req.method == "POST"'],
              actions: [{ type: "deny", config: {} }],
            },
          ],
          outbound: [],
        }),
      }),
    ),
  ]);
  return {
    objects: [
      object("ip_policy", "ipp_1", {}),
      object("ip_policy_rule", "ipr_1", { ip_policy: { id: "ipp_1" }, action: "allow", cidr: "10.0.0.0/8" }),
      object("certificate_authority", "ca_1", { subject_common_name: "ca", ca_pem: "ca" }),
      object("tunnel_credential", "cr_1", { acl: [] }),
      object("static_backend", "bkdst_1", { address: "app.internal:80", tls: { enabled: false } }),
      ...tls,
      ...https.flat(),
    ],
  };
}

/** Takes their restrictions from some edges. */
const changed = ({ objects }: World, ids: readonly string[]): World => ({
  objects: objects.map((one) =>
    ids.includes(one.id ?? "")
      ? { ...one, fields: { ...one.fields, mutual_tls: null, ip_restriction: null } }
      : one,
  ),
});

const widened = ({ objects }: World): World => ({
  objects: objects.map((one) =>
    one.id === "ipr_1" ? { ...one, fields: { ...one.fields, cidr: "10.0.0.0/7" } } : one,
  ),
});

const requestsTo = (addresses: number): DecisionRequest[] =>
  Array.from({ length: addresses / 4 }, (_, number) => ({
    address: `${number % 2 === 0 ? "h" : "t"}${number}.example.com:443`,
    path: number % 3 === 0 ? "/api/x" : "/index.html",
    from: "10.0.0.1",
    user_agent: "curl/8.5.0",
  }));

/** A preview of TLS edges. Some of them no longer ask for a client certificate. */
function previewOf(changed: number): string {
  const steps = Array.from({ length: amount(RESOURCES) }, (_, number) => {
    const urn = `urn:pulumi:dev::tunnels::pulumi-nodejs:dynamic/tunnelplane:TlsEdge::edge${number}`;
    const open = { hostports: [`t${number}.example.com:443`] };
    const closed = { ...open, mutualTls: { enabled: true, certificateAuthorityIds: ["ca_of_others"] } };
    return {
      op: number < changed ? "update" : "same",
      urn,
      oldState: { urn, id: `edgtls_${number}`, inputs: closed, outputs: closed },
      newState: { urn, inputs: number < changed ? open : closed },
    };
  });
  return JSON.stringify({ steps, duration: 1, changeSummary: { same: amount(RESOURCES) - changed } });
}
