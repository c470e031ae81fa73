import * as tunnels from "@tunnelplane/pulumi";
import {
  bare,
  createSchema,
  formatPath,
  marksOf,
  referencesIn,
  registry,
  rename,
} from "@tunnelplane/sdk/contract";
import { expect } from "chai";
import type { z } from "zod";
import { serverCertificate } from "../support/api/fixtures";
import { Folder } from "../support/catalogue";
import { makeCertificates, makeSshKey, requestsDuring, worldOfThisFile } from "../support/provider";

/** Every field of the contract that refers to another object, each filled with the name of an entry. */
const NAMED = `
botUsers: { ci: { name: ci } }
projects: { shop: { name: shop } }
memberships: { ci: { projectId: shop, botUserId: ci, role: member } }
apiKeys: { ci: { ownerId: ci, projectId: shop } }
workloadIdentities: { job: { issuer: "https://ci.example.com", claims: { sub: "repo:acme/infra" }, botUserId: ci, audiences: [ci] } }
tunnelCredentials: { agent: { ownerId: ci } }
sshCredentials: { agent: { ownerId: ci, publicKey: !file agent.pub } }
sshCertificateAuthorities: { people: {}, hosts: {} }
sshUserCertificates: { ada: { sshCertificateAuthorityId: people, publicKey: !file agent.pub, principals: [ada] } }
sshHostCertificates: { bastion: { sshCertificateAuthorityId: hosts, publicKey: !file agent.pub, principals: [bastion] } }
certificateAuthorities: { clients: { caPem: !file ca.pem } }
tlsCertificates: { shop: { certificatePem: !file shop.pem, privateKeyPem: !file shop.key } }
reservedDomains: { shop: { domain: shop.example.com, certificateId: shop } }
ipRestrictions: { everywhere: { type: endpoints, ipPolicyIds: [office] } }
ipPolicies: { office: }
ipPolicyRules: { berlin: { ipPolicyId: office, cidr: 192.0.2.0/24, action: allow } }
tunnelGroupBackends: { web: { labels: { service: web } }, spare: { labels: { service: spare } } }
failoverBackends: { first: { backends: [web, spare] } }
weightedBackends: { both: { backends: { web: 95, spare: 5 } } }
tlsEdges:
  app:
    backend: { backendId: both }
    ipRestriction: { ipPolicyIds: [office] }
    mutualTls: { certificateAuthorityIds: [clients] }
tcpEdges: { db: { backend: { backendId: both }, ipRestriction: { ipPolicyIds: [office] } } }
httpsEdges: { site: { mutualTls: { certificateAuthorityIds: [clients] } } }
httpsEdgeRoutes:
  all: { edgeId: site, matchType: path_prefix, match: /, backend: { backendId: first }, ipRestriction: { ipPolicyIds: [office] } }
eventDestinations: { audit: { target: { monitoringService: { apiKey: key } } } }
eventSubscriptions: { watch: { sources: [{ type: ip_policy_created.v0 }], destinationIds: [audit] } }
`;

/** The fields below a schema that refer to other objects, as `backend.backend_id`. */
const referencesBelow = (schema: z.ZodType, name: string): string[] =>
  marksOf(schema).reference
    ? [name]
    : Object.entries((bare(schema) as z.ZodObject).shape ?? {}).flatMap(([field, inner]) =>
        referencesBelow(inner as z.ZodType, `${name}.${field}`),
      );

/** Every reference that the contract has. */
const REFERENCES = registry.flatMap(({ kind, fields }) =>
  Object.entries(fields).flatMap(([name, schema]) => referencesBelow(schema, `${kind} ${name}`)),
);

describe("A name in a catalogue", () => {
  const { world, server } = worldOfThisFile();
  const folder = new Folder();
  before(() => {
    folder.write(makeSshKey(), "agent.pub");
    folder.write(makeCertificates("clients").authority, "ca.pem");
    const { certificate_pem, private_key_pem } = serverCertificate("shop.example.com");
    folder.write(certificate_pem, "shop.pem");
    folder.write(private_key_pem, "shop.key");
  });
  after(() => folder.remove());

  it("stands for the entry's id in every kind of reference, as the key of a map too, and nothing changes the second time", async () => {
    folder.write(NAMED);
    const stack = await world.stack(server, async () => void tunnels.catalogue(folder.catalogue));
    await stack.preview();
    await stack.up();
    const resources = stack.resources();
    const ids = new Set(resources.flatMap(({ id }) => id?.split("/") ?? []));
    const found = registry.flatMap((definition) => {
      const schema = createSchema(definition);
      const declared = resources.filter(({ type }) => type.endsWith(`:${definition.type}`));
      return declared
        .flatMap(({ inputs }) => referencesIn(schema, rename(schema, inputs, "wire")))
        .map(({ path, id }) => {
          expect(ids, `${definition.kind} ${formatPath(path)}`).to.include(id);
          return `${definition.kind} ${path.filter((part) => typeof part === "string" && part !== id).join(".")}`;
        });
    });
    // A new field that refers to something belongs into the catalogue above.
    expect([...new Set(found)]).to.have.members(REFERENCES);
    const [weighted] = (await server.rest.get("/backends/weighted")).body.backends;
    expect(Object.values(weighted.backends)).to.have.members([95, 5]);
    expect(await requestsDuring(server, () => stack.up())).to.deep.equal([]);
  });
});
