import * as tunnels from "@tunnelplane/pulumi";
import { Folder, NOBODY } from "../support/catalogue";
import { failureOf, World } from "../support/provider";

interface BadFile {
  readonly what: string;
  readonly yaml: string;
  /** Every line of the report: where, and how the sentence begins. */
  readonly says: readonly string[];
}

const BAD_FILES: readonly BadFile[] = [
  {
    what: "text that is not YAML",
    yaml: 'ipPolicies:\n  office: { description: "a" "b" }\n',
    says: ["2:30 is not YAML: Unexpected double-quoted-scalar at node end"],
  },
  {
    what: "a second document in the file",
    yaml: "ipPolicies:\n---\ntlsEdges:\n",
    says: ["2:1 begins a second document"],
  },
  {
    what: "a file that is not a map, and a collection that is none",
    yaml: "- ipPolicies\n",
    says: ["1:1 must be a map of collections"],
  },
  {
    what: "collections that do not exist, and those that do",
    yaml: "tlsEdge:\n  app: {}\nbackends: {}\nipPolicies: [office]\n",
    says: [
      "1:1 tlsEdge is not a collection; accepted: `tunnelCredentials`",
      "3:1 backends is not a collection",
      "4:13 ipPolicies must be a map of names to arguments",
    ],
  },
  {
    what: "a project whose name no project has",
    yaml: "project: The shop\nipPolicies:\n",
    says: ['1:10 project must be a name of 1 to 40 characters: a to z, 0 to 9 and "-"; got "The shop"'],
  },
  {
    what: "a project that is not text",
    yaml: "project: { name: shop }\n",
    says: ["1:10 project must be the name of a project"],
  },
  {
    what: "names that stand twice or are none",
    yaml: 'ipPolicies:\n  office: { metadata: a, metadata: b }\n  office:\n  "two words":\n',
    says: [
      "2:26 ipPolicies.office.metadata is here a second time, after line 2",
      "3:3 ipPolicies.office is here a second time, after line 2",
      '4:3 ipPolicies["two words"] is not a name: use letters, digits',
    ],
  },
  {
    what: "misspelled fields, and asks what was meant",
    yaml: "ipPolicyRules:\n  a:\n    action: allow\n    cidr: 192.0.2.0/24\n    ipPolicyIdd: office\n    descripton: ours\nipPolicies:\n  office:\n",
    says: [
      "2:3 ipPolicyRules.a.ipPolicyId is required",
      "5:5 ipPolicyRules.a.ipPolicyIdd is not a field here; accepted: `description`, `metadata`, `cidr`, `ipPolicyId`, `action`, `expiresAt`; did you mean `ipPolicyId`?",
      "6:5 ipPolicyRules.a.descripton is not a field here; accepted: `description`, `metadata`, `cidr`, `ipPolicyId`, `action`, `expiresAt`; did you mean `description`?",
    ],
  },
  {
    what: "fields that do not exist, are missing or are spelled as in the API",
    yaml: "tlsEdges:\n  app:\n    hostport: [a.example.com:443]\n    backend: { backend_id: web }\n    mutualTls: {}\ntunnelGroupBackends:\n  web: { labels: { a_b: c } }\n  other:\n",
    says: [
      "3:5 tlsEdges.app.hostport is not a field here; accepted: `description`, `metadata`, `hostports`, `backend`, `ipRestriction`",
      "4:16 tlsEdges.app.backend.backend_id is spelled `backendId` here",
      "5:5 tlsEdges.app.mutualTls.certificateAuthorityIds is required and must be a list",
      "8:3 tunnelGroupBackends.other.labels is required and must be an object",
    ],
  },
  {
    what: "values of a wrong type or beyond a limit, in the words of the server",
    yaml: `ipPolicies:\n  office: { description: ${"x".repeat(256)} }\n  guests: text\ntunnelGroupBackends:\n  web: { labels: { port: 8080 } }\ntlsEdges:\n  app:\n    hostports: [app.example.com]\n    tlsTermination: { minVersion: 1.3, enabled: "no" }\n    policies: { inbound: all }\nipPolicyRules:\n  rule: { ipPolicyId: office, cidr: 192.0.2.1/24, action: permit }\n`,
    says: [
      "2:26 ipPolicies.office.description is 256 bytes; at most 255 bytes are allowed",
      "3:11 ipPolicies.guests must be an object",
      "5:26 tunnelGroupBackends.web.labels.port must be a string; put it in quotes",
      '8:17 tlsEdges.app.hostports[0] must be "<host>:<port>", for example "app.example.com:443"',
      '9:35 tlsEdges.app.tlsTermination.minVersion must be "1.2" or "1.3"; put it in quotes',
      "9:49 tlsEdges.app.tlsTermination.enabled must be true or false",
      "10:26 tlsEdges.app.policies.inbound must be a list",
      '12:37 ipPolicyRules.rule.cidr has bits set after its mask: write "192.0.2.0/24"',
      '12:59 ipPolicyRules.rule.action must be "allow" or "deny"',
    ],
  },
  {
    what: "rules across the fields of an entry",
    yaml: 'tlsEdges:\n  app:\n    tlsTermination: { terminateAt: upstream, minVersion: "1.2" }\n',
    says: ['3:58 tlsEdges.app.tlsTermination.minVersion must be left out when `terminateAt` is "upstream"'],
  },
  {
    what: "references to nothing, to another kind or twice to the same",
    yaml: "ipPolicies:\n  office:\ntlsEdges:\n  app:\n    backend: { backendId: office }\n    ipRestriction: { ipPolicyIds: [ofice, office, office] }\n  other:\n    backend: { backendId: edgtls_0ERWdYmHciyPtBdiFM2OsTqjQue }\n    ipRestriction: { ipPolicyIds: [ipp_guests] }\n",
    says: [
      '5:27 tlsEdges.app.backend.backendId names "office", which is an IP policy; expected a tunnel-group backend',
      '6:36 tlsEdges.app.ipRestriction.ipPolicyIds[0] names "ofice", but no entry of ipPolicies has that name; did you mean "office"?',
      "6:51 tlsEdges.app.ipRestriction.ipPolicyIds[2] repeats entry 1; name each once",
      "8:27 tlsEdges.other.backend.backendId is the id of a TLS edge; expected a tunnel-group backend",
      '9:36 tlsEdges.other.ipRestriction.ipPolicyIds[0] names "ipp_guests", but no entry of ipPolicies has that name',
    ],
  },
  {
    what: "entries that claim what only one may have, but not for a network in each of two policies",
    yaml: "tlsEdges:\n  app: { hostports: [app.example.com:443] }\n  other: { hostports: [a.example.com:443, App.example.com:443] }\nipPolicies: { office: , home: }\nipPolicyRules:\n  a: { ipPolicyId: office, action: allow, cidr: 192.0.2.0/24 }\n  b: { ipPolicyId: home, action: allow, cidr: 192.0.2.0/24 }\n  c: { ipPolicyId: home, action: deny, cidr: 192.0.2.0/24 }\n",
    says: [
      "3:43 tlsEdges.other.hostports[1] is served by another edge already; remove it there first (tlsEdges.app.hostports[0], line 2)",
      "8:46 ipPolicyRules.c.cidr has a rule in this policy",
    ],
  },
  {
    what: "files, configuration and aliases that are missing, and tags that do not exist",
    yaml: "certificateAuthorities:\n  clients: { caPem: !file nowhere.pem }\nipPolicies:\n  a: { description: !config place, metadata: !secret note }\n  b: { description: *nobody }\n  c: &c { metadata: *c }\n  d: { metadata: !vault HOME }\n  e: { metadata: !file [x] }\n  f: { description: !constructor x, metadata: !env toString }\n",
    says: [
      "2:27 certificateAuthorities.clients.caPem cannot be read from its file: ENOENT: no such file or directory",
      '4:29 ipPolicies.a.description is not in the stack\'s configuration: run "pulumi config set place …"',
      '4:54 ipPolicies.a.metadata is not in the stack\'s configuration: run "pulumi config set --secret note …"',
      "5:21 ipPolicies.b.description is an alias for &nobody, which is not defined before it",
      "6:21 ipPolicies.c.metadata contains itself through an alias",
      "7:18 !vault is not a tag here; accepted: !file, !env, !config, !secret",
      "8:18 !file takes a text",
      "8:24 ipPolicies.e.metadata must be a string",
      "9:21 !constructor is not a tag here; accepted: !file, !env, !config, !secret",
      "9:52 ipPolicies.f.metadata is not in the environment: set toString",
    ],
  },
];

describe("A catalogue with mistakes, previewed without a server", () => {
  const world = new World();
  const folder = new Folder();
  const preview = async (program: () => void): Promise<string> => {
    const stack = await world.stack(NOBODY, async () => program());
    return failureOf(stack.preview());
  };

  const SECRET_TEXT =
    'sshCredentials:\n  me: { publicKey: "-----BEGIN PRIVATE KEY-----hush-hush" }\n  you: { publicKey: "hush-hush" "x" }\n';
  const thrown = new Map<string, string>();
  before("declare all catalogues in one program", async () => {
    const stack = await world.stack(NOBODY, async () => {
      for (const yaml of [...BAD_FILES.map((bad) => bad.yaml), SECRET_TEXT]) {
        folder.write(yaml);
        try {
          tunnels.catalogue(folder.catalogue);
        } catch (error) {
          thrown.set(yaml, (error as Error).message);
        }
      }
    });
    expect((await stack.preview()).steps, "nothing is declared").to.deep.equal([]);
  });

  for (const { what, yaml, says } of BAD_FILES) {
    it(`is refused for ${what}, each with its line and column`, () => {
      const lines = (thrown.get(yaml) ?? "").split("\n").filter((line) => line.startsWith("  "));
      const reported = lines.map((line) => line.split(`  ${folder.catalogue}:`)[1] ?? line);
      expect(reported.map((line, index) => line.slice(0, says[index]?.length))).to.deep.equal(says);
    });
  }

  it("is refused as a whole, before anything of it is declared, and the engine prints where and why", async () => {
    folder.write("ipPolicies:\n  fine:\n  wrong: { oops: 1 }\n");
    const message = await preview(() => void tunnels.catalogue(folder.catalogue));
    expect(message).to.contain(`${folder.catalogue} has 1 mistake; nothing was declared:`);
    expect(message).to.contain(`  ${folder.catalogue}:3:12 ipPolicies.wrong.oops is not a field here`);
    expect(message).not.to.contain("IpPolicy fine");
    expect(message).not.to.match(/\n\s+at /);
  });

  it("never shows a value that may be a secret", async () => {
    expect(thrown.get(SECRET_TEXT)).to.contain("is not YAML").and.not.to.contain("hush-hush");
    folder.write('sshCredentials:\n  me: { publicKey: "-----BEGIN PRIVATE KEY-----hush-hush" }\n');
    const checked = await preview(() => void tunnels.catalogue(folder.catalogue));
    expect(checked)
      .to.contain("2:20 sshCredentials.me.publicKey is a private key")
      .and.not.to.contain("hush-hush");
  });

  it("is named by its path if there is no such file", async () => {
    const message = await preview(() => void tunnels.catalogue("nowhere/tunnels.yaml"));
    expect(message).to.contain("The catalogue nowhere/tunnels.yaml cannot be read: ENOENT");
    expect(message).not.to.match(/\n\s+at /);
  });
});
