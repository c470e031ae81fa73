import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { bootstrap, type Configuration, objectsOf, translate } from "../../gateway/dist";
import { decode, encode } from "../../gateway/dist/ads/encode";
import type { Json } from "../../gateway/dist/envoy/json";
import { asking, worldOf } from "../../gateway/dist/sync/world";
import { certificate } from "../support/api/fixtures";
import { needsEnvoy, validationError } from "../support/envoy";
import { AUTHORITY_PEM, CERTIFICATE, SURROUNDINGS, WORLDS } from "./worlds";

const PAGE = join(__dirname, "../../docs/architecture/envoy.md");
const BOOTSTRAP = "envoy.config.bootstrap.v3.Bootstrap";
const CLUSTER = "envoy.config.cluster.v3.Cluster";
const LISTENER = "envoy.config.listener.v3.Listener";
const CORE = "envoy.config.core.v3";
const TLS = "envoy.extensions.transport_sockets.tls.v3";
const ROUTE = "envoy.config.route.v3";
/** Messages that do not name their type, by the type and field that they are in. */
const WITHIN: Readonly<Record<string, string>> = {
  [`${LISTENER} filter_chains`]: "envoy.config.listener.v3.FilterChain",
  "envoy.config.listener.v3.FilterChain filter_chain_match": "envoy.config.listener.v3.FilterChainMatch",
  [`${TLS}.DownstreamTlsContext common_tls_context`]: `${TLS}.CommonTlsContext`,
  [`${TLS}.CommonTlsContext tls_params`]: `${TLS}.TlsParameters`,
  [`${TLS}.CommonTlsContext validation_context`]: `${TLS}.CertificateValidationContext`,
  "HttpConnectionManager common_http_protocol_options": `${CORE}.HttpProtocolOptions`,
  "HttpConnectionManager http2_protocol_options": `${CORE}.Http2ProtocolOptions`,
  "HttpConnectionManager http_protocol_options": `${CORE}.Http1ProtocolOptions`,
  "HttpConnectionManager route_config": `${ROUTE}.RouteConfiguration`,
  [`${ROUTE}.RouteConfiguration virtual_hosts`]: `${ROUTE}.VirtualHost`,
  [`${ROUTE}.VirtualHost routes`]: `${ROUTE}.Route`,
  [`${ROUTE}.Route route`]: `${ROUTE}.RouteAction`,
};

type Message = { readonly set: Map<string, string>; readonly left: string[] };

/** The tables of the page, by the message that each is about. */
function tables(): Map<string, Message> {
  const sections = readFileSync(PAGE, "utf8").split(/^## /m).slice(1);
  return new Map(
    sections.map((section) => {
      const message: Message = { set: new Map(), left: [] };
      for (const [, fields = "", ours = ""] of section.matchAll(/^\| (`[^|]*) \| ([^|]*) \| [^|]*\|$/gm))
        for (const [, field = ""] of fields.matchAll(/`(\w+)`/g))
          if (ours === "–") message.left.push(field);
          else message.set.set(field, ours);
      return [/^`(.*)`/.exec(section)?.[1] ?? "", message];
    }),
  );
}

type Visit = (type: string, message: Record<string, unknown>) => void;

/** Shows every message of a configuration whose type is known, the inner ones first. */
function walk(value: unknown, type: string | undefined, visit: Visit): void {
  if (Array.isArray(value)) for (const one of value) walk(one, type, visit);
  else if (typeof value === "object" && value !== null) {
    const message = value as Record<string, unknown>;
    const own =
      typeof message["@type"] === "string" ? message["@type"].replace("type.googleapis.com/", "") : type;
    const short = own?.endsWith(".HttpConnectionManager") ? "HttpConnectionManager" : own;
    for (const [field, inner] of Object.entries(message)) walk(inner, WITHIN[`${short} ${field}`], visit);
    if (own !== undefined) visit(own, message);
  }
}

const nothing = (fields: readonly string[]): object =>
  Object.fromEntries(fields.map((field) => [field, null]));

const BALANCERS = [
  undefined,
  { networks: ["10.0.0.0/8"], proxyProtocol: false },
  { networks: ["10.0.0.0/8", "2001:db8::/32"], proxyProtocol: true },
];
const LISTEN = [...SURROUNDINGS.listen, { port: 443, address: "127.0.0.1", bindPort: 8444 }];
/** As they are written: JSON leaves out what is undefined. */
const configurations = (): Configuration[] =>
  Object.values(WORLDS).flatMap((world) =>
    BALANCERS.map((balancers) =>
      JSON.parse(JSON.stringify(translate(objectsOf(world), { ...SURROUNDINGS, balancers, listen: LISTEN }))),
    ),
  );

describe("The configuration of Envoy", () => {
  it("is of Envoy's own types, in which a field that Envoy does not have is found without an Envoy", () => {
    for (const configuration of configurations()) {
      const { listener, route: routes } = worldOf(configuration);
      expect([...listener.keys(), ...routes.keys()]).not.to.have.length(0);
      for (const one of configuration.listeners) {
        const filter_chains = (one.filter_chains as Json[]).map(asking);
        expect(decode(LISTENER, listener.get(String(one.name))?.bytes ?? new Uint8Array())).to.deep.equal(
          decode(LISTENER, encode(LISTENER, { ...one, filter_chains })),
        );
      }
    }
    expect(() => encode(LISTENER, { no_such_field: 1 })).to.throw("no_such_field");
    expect(() => encode(LISTENER, { name: 1 })).to.throw(/name/);
  });

  for (const name of ["tls-edge", "https-edge"] as const)
    it(`is the same as in golden/${name}.yaml`, () => {
      const configuration = translate(objectsOf(WORLDS[name]), SURROUNDINGS);
      const text = stringify(JSON.parse(JSON.stringify(configuration)), {
        lineWidth: 160,
        aliasDuplicateObjects: false,
      });
      const file = join(__dirname, "golden", `${name}.yaml`);
      // TUNNELPLANE_GOLDEN=write writes the files anew, for a reader to compare.
      if (process.env.TUNNELPLANE_GOLDEN === "write") writeFileSync(file, text);
      expect(text).to.equal(readFileSync(file, "utf8"));
    });
});

describe("Envoy's settings in docs/architecture/envoy.md", () => {
  const documented = tables();

  it("are those that the gateway writes: each field that the page says it sets, with its value, and no other", () => {
    const written = new Map<string, Map<string, Set<string>>>();
    const note: Visit = (type, message) => {
      const fields = written.get(type) ?? new Map<string, Set<string>>();
      written.set(type, fields);
      for (const [field, value] of Object.entries(message))
        if (field !== "@type") fields.set(field, (fields.get(field) ?? new Set()).add(String(value)));
    };
    walk(bootstrap({ admin: "/f/admin.sock", ads: "/f/ads.sock" }), BOOTSTRAP, note);
    for (const { listeners, routes, clusters } of configurations()) {
      walk(listeners, LISTENER, note);
      walk(routes, `${ROUTE}.RouteConfiguration`, note);
      walk(clusters, CLUSTER, note);
    }
    expect(documented.size).to.be.greaterThan(15);
    for (const [type, { set }] of documented) {
      const fields = written.get(type) ?? new Map<string, Set<string>>();
      expect([...fields.keys()].sort(), type).to.deep.equal([...set.keys()].sort());
      for (const [field, ours] of set)
        if (ours !== "set")
          expect(
            [...(fields.get(field) ?? [])].map((one) => `\`${one}\``),
            `${type} ${field}`,
          ).to.deep.equal([ours]);
    }
  });

  it("are known to a real Envoy, also those that are left as they come", function () {
    needsEnvoy(this);
    const own = certificate({ extensions: ["subjectAltName = DNS:app.example.com"] });
    const real = {
      [CERTIFICATE.chain]: own.pem,
      [CERTIFICATE.key]: own.privateKey,
      [AUTHORITY_PEM]: certificate().pem,
    };
    /** With every field that is left as it comes named as null, which Envoy takes for fields it knows. */
    const complete = <T extends object>(value: T, type: string, more: readonly string[] = []): T => {
      const copy = JSON.parse(JSON.stringify(value), (_, one) =>
        typeof one === "string"
          ? Object.entries(real).reduce((so, [from, to]) => so.replaceAll(from.trim(), to.trim()), one)
          : one,
      ) as T;
      walk(copy, type, (of, message) => {
        Object.assign(
          message,
          nothing([...(documented.get(of)?.left ?? []), ...more].filter((field) => !(field in message))),
        );
      });
      return copy;
    };
    const seen = new Set<string>();
    const completed = (made: Configuration, more: readonly string[]): Configuration => {
      const part = (messages: readonly object[], type: string) => {
        const all = complete(messages, type, more) as Configuration["listeners"];
        walk(all, type, (of) => seen.add(of));
        return all;
      };
      return {
        ...{ ...made, listeners: part(made.listeners, LISTENER) },
        routes: part(made.routes, `${ROUTE}.RouteConfiguration`),
        ...{ clusters: part(made.clusters, CLUSTER), secrets: complete(made.secrets, `${TLS}.Secret`) },
      };
    };
    const ask = (
      world: keyof typeof WORLDS,
      balancers: (typeof BALANCERS)[number],
      more: readonly string[] = [],
    ) =>
      validationError(
        completed(translate(objectsOf(WORLDS[world]), { ...SURROUNDINGS, balancers }), more),
        (start) => complete(start, BOOTSTRAP),
      );
    for (const balancers of BALANCERS)
      for (const world of ["https-edge", "everything"] as const)
        expect(ask(world, balancers), world).to.equal(undefined);
    expect([...documented.keys()].filter((type) => !seen.has(type) && type !== BOOTSTRAP)).to.deep.equal([]);
    expect(ask("tls-edge", undefined, ["no_such_field"]), "of a field that it does not know").to.contain(
      "no_such_field",
    );
  });
});
