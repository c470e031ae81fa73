import { createSchema, definitionOf, isObject, type Kind, toAnswered } from "@tunnelplane/sdk/contract";
import { expect } from "chai";
import fc from "fast-check";
import { type Environment, objectsOf, translate } from "../../gateway/dist";
import { mostSignIns } from "../../gateway/dist/environment/watches";
import { certificate } from "../support/api/fixtures";
import { needsEnvoy, validationError } from "../support/envoy";
import { bodiesOf } from "../support/generatedBodies";
import { size } from "../support/size";
import { CERTIFICATE, httpsEdge, oidc, route, SURROUNDINGS } from "./worlds";

/** Gateways do not do these, whatever their form; docs/gateway.md lists them. */
const NOT_DONE = new RegExp(
  [
    "the expression .* cannot be enforced",
    "asks about HTTP, which a (?:TLS|TCP) edge does not read",
    ...["looks for a text in conn.client_ip", "asks about conn.tls.sni"],
    "works on requests, which a TLS or TCP edge does not read",
    ...["connections are counted all together", "only deny may be conditional", "TLS ends upstream"],
    ...["looks for a token in the body", "would be rewritten twice", "a url-rewrite "],
    ...["gateways can only log", "a rate-limit counts by", "have more than 64 outcomes"],
  ].join("|"),
);

const EACH = 100;
const IDS = { ip_policy: ["ipp_1"], certificate_authority: ["ca_1"] };
const refer = (id: string) => ({ id, uri: `/${id}` });

function answered(kind: Kind, id: string, body: object): { kind: Kind; fields: object } {
  const fields = toAnswered(createSchema(definitionOf(kind)), body, { uri: `/${id}`, refer });
  return { kind, fields: { id, ...(fields as object) } };
}

describe("Routes that sign users in", () => {
  it("are refused, the newest first, where Envoy could not watch the secrets of all, and it goes on", function () {
    needsEnvoy(this);
    // Linux allows 128 watchers by default; a machine that allows thousands needs no limit here.
    const most = Math.min(mostSignIns() ?? 100, 100);
    const idOf = (index: number) => `edghtsrt_${String(index).padStart(3, "0")}`;
    const routes = Array.from({ length: most + 20 }, (_, index) =>
      route({ id: idOf(index), match: `/r${index}`, oidc: oidc() }),
    );
    const objects = objectsOf([
      httpsEdge({ routes: [...routes.toReversed(), route({ id: "edghtsrt_open" })] }),
    ]);
    const own = certificate({
      name: "app.example.com",
      extensions: ["subjectAltName = DNS:app.example.com"],
    });
    const surroundings = {
      ...SURROUNDINGS,
      mostSignIns: most,
      certificates: [{ ...CERTIFICATE, chain: own.pem, key: own.privateKey }],
    };
    const { edges, secrets, listeners } = translate(objects, surroundings);
    expect(Object.keys(secrets)).to.have.length(2 * most);
    expect(edges[0]?.reason).to.include("and 15 more routes").and.to.include("fs.inotify.max_user_instances");
    const served = JSON.stringify(listeners);
    const callbacks = routes.filter(({ id }) => served.includes(`/callback/${id}`)).map(({ id }) => id);
    expect(callbacks).to.deep.equal(routes.slice(0, most).map(({ id }) => id));
    expect(served).to.include("edghtsrt_open");
    expect(validationError((folder) => translate(objects, { ...surroundings, secrets: folder }))).to.equal(
      undefined,
    );
  });
});

describe("A value that the API takes", () => {
  const own = certificate({ name: "example.com", extensions: ["subjectAltName = DNS:*.example.com"] });
  const endpoints = {
    authorizationEndpoint: "https://id.example.com/a",
    tokenEndpoint: "https://id.example.com/t",
    jwksUri: "https://id.example.com/k",
  };
  const anyIssuer: Environment["issuers"] = new (class extends Map<string, typeof endpoints> {
    override get = () => endpoints;
  })();
  const surroundings = {
    ...SURROUNDINGS,
    certificates: [{ ...CERTIFICATE, names: ["*.example.com"], chain: own.pem, key: own.privateKey }],
    issuers: anyIssuer,
  };
  const authority = { kind: "certificate_authority", fields: { id: "ca_1", ca_pem: certificate().pem } };
  const rule = {
    kind: "ip_policy_rule",
    fields: { id: "ipr_1", cidr: "10.0.0.0/8", action: "allow", ip_policy: refer("ipp_1") },
  };

  function world(seed: number) {
    const many = (kind: Kind) => fc.sample(bodiesOf(definitionOf(kind), IDS), { numRuns: EACH, seed });
    const to = (backend_id: string) => ({ backend: { enabled: true, backend_id } });
    const routes = many("https_edge_route").map((body, index) =>
      answered("https_edge_route", `edghtsrt_${index}`, {
        ...body,
        ...to(`${index % 2 ? "bkdhr" : "bkdsc"}_${index}`),
        // The API takes no new route without the secret.
        ...(isObject(body.webhook_verification) && {
          webhook_verification: { ...body.webhook_verification, secret: "s" },
        }),
      }),
    );
    return objectsOf([
      ...many("http_response_backend").map((body, index) =>
        answered("http_response_backend", `bkdhr_${index}`, body),
      ),
      ...many("static_backend").map((body, index) => answered("static_backend", `bkdsc_${index}`, body)),
      ...many("tls_edge").map((body, index) => {
        const fields = { ...body, ...to(`bkdsc_${index}`), hostports: [`t${index}.example.com:443`] };
        return answered("tls_edge", `edgtls_${index}`, fields);
      }),
      ...many("https_edge").map((body, index) => {
        const { fields } = answered("https_edge", `edghts_${index}`, {
          ...body,
          hostports: [`h${index}.example.com:443`],
        });
        return { kind: "https_edge", fields: { ...fields, routes: [routes[index]?.fields] } };
      }),
      rule,
      authority,
    ]);
  }

  it("is refused by no gateway for its form, and by no Envoy", function () {
    needsEnvoy(this);
    for (let seed = 0; seed < size(1, 30); seed++) {
      const objects = world(seed);
      const { edges } = translate(objects, surroundings);
      const refused = edges.filter(({ state, reason }) => state === "rejected" && !NOT_DONE.test(reason));
      expect(refused, `of seed ${seed}`).to.deep.equal([]);
      expect(edges.filter(({ state }) => state === "applied").length).to.be.greaterThan(EACH / 2);
      const said = validationError((secrets) => translate(objects, { ...surroundings, secrets }));
      expect(said?.slice(-2000), `what Envoy says of seed ${seed}`).to.equal(undefined);
    }
  });
});
