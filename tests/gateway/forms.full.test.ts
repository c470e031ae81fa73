import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createSchema, definitionOf, isObject, type Kind, toAnswered } from "@tunnelplane/sdk/contract";
import fc from "fast-check";
import { type Environment, objectsOf, translate } from "../../gateway/dist";
import { certificate } from "../support/api/fixtures";
import { EnvoyProcess, needsEnvoy, validationError } from "../support/envoy";
import { newFolder } from "../support/folder";
import { bodiesOf } from "../support/generatedBodies";
import { freePort } from "../support/ports";
import { size } from "../support/size";
import { CERTIFICATE, httpsEdge, oidc, route, SURROUNDINGS } from "./worlds";

/** Gateways do not do these, whatever their form; docs/gateway.md lists them. */
const NOT_DONE = new RegExp(
  [
    "the expression .* cannot be enforced",
    '`escaped_slashes` is "keep", but a route, a policy or a rewrite depends on the path',
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
  it("are served by one gateway, 300 of them", async function () {
    needsEnvoy(this);
    const routes = Array.from({ length: 300 }, (_, index) =>
      route({ id: `edghtsrt_${index}`, match: `/r${index}`, oidc: oidc() }),
    );
    const own = certificate({
      name: "app.example.com",
      extensions: ["subjectAltName = DNS:app.example.com"],
    });
    const trust = join(newFolder(), "trust.pem");
    writeFileSync(trust, own.pem);
    const configuration = translate(objectsOf([httpsEdge({ routes })]), {
      ...SURROUNDINGS,
      listen: [{ port: 443, address: "127.0.0.1", bindPort: await freePort() }],
      trust,
      certificates: [{ ...CERTIFICATE, chain: own.pem, key: own.privateKey }],
    });
    expect(configuration.edges).to.deep.equal([{ id: "edghts_1", state: "applied", reason: "" }]);
    const envoy = await EnvoyProcess.start();
    try {
      await envoy.push(configuration);
    } finally {
      await envoy.stop();
    }
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
      const said = validationError(translate(objects, surroundings));
      expect(said?.slice(-2000), `what Envoy says of seed ${seed}`).to.equal(undefined);
    }
  });
});
