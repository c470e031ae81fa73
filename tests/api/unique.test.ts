import { marksOf } from "@tunnelplane/sdk/contract";
import { apiOnEveryDatabase, expectRefused, hostport, type Json, taken, unique } from "../support/api/expect";
import { sshKey } from "../support/api/fixtures";
import { TYPES } from "../support/api/types";

/** A value that one object has at a time. */
interface Unique {
  readonly path: string;
  readonly field: string;
  readonly body?: () => Json | Promise<Json>;
  readonly values: () => readonly unknown[];
  readonly beside: (value: unknown) => Json | Promise<Json>;
}

apiOnEveryDatabase("What one object has at a time:", (server) => {
  const inPolicy = async () => ({
    ip_policy_id: (await server.created("/ip_policies", {})).id,
    action: "allow",
  });
  const hostports = (path: string): Unique => ({
    ...{ path, field: "hostports[0]" },
    values: () => {
      const name = `${unique("Taken")}.Example.com:443`;
      return [name, name.toLowerCase(), name.toUpperCase()].map((one) => [one]);
    },
    beside: (value) => ({ hostports: [`*.${value}`, String(value).replace(":443", ":8443")] }),
  });
  const networks = (...notations: readonly [before: string, after: string][]): Unique => ({
    ...{ path: "/ip_policy_rules", field: "cidr", body: inPolicy },
    values: () => {
      const byte = Number(unique("").slice(-2)) + 100;
      return notations.map(([before, after]) => `${before}${byte}${after}`);
    },
    beside: async (cidr) => ({ ...(await inPolicy()), cidr }),
  });
  const keys = (...of: Parameters<typeof sshKey>): Unique => ({
    ...{ path: "/ssh_credentials", field: "public_key" },
    values: () => {
      const { openssh, rfc4716, spki } = sshKey(...of);
      const line = openssh.split(" ").slice(0, 2).join(" ");
      return [openssh, line, `${line} another comment`, rfc4716, spki];
    },
    beside: () => ({ public_key: sshKey().openssh }),
  });
  const UNIQUE: Readonly<Record<string, Unique>> = {
    "a hostport of a TLS edge": hostports("/edges/tls"),
    "a hostport of an HTTPS edge": hostports("/edges/https"),
    "a path of an edge's routes": {
      ...{ path: "/edges/https/{edge_id}/routes", field: "match" },
      body: () => ({ match_type: "path_prefix" }),
      values: () => [`/${unique()}`],
      beside: (match) => ({ match, match_type: "exact_path" }),
    },
    "an IPv4 network of a policy": networks(["198.51.", ".0/24"], ["::ffff:198.51.", ".0/120"]),
    "an IPv6 network of a policy": networks(["2001:db8:", "::/48"], ["2001:0DB8:0", ":0:0::/48"]),
    "an RSA key": keys("rsa", 3072),
    "an Ed25519 key": keys("ed25519"),
    "a reserved domain": {
      ...{ path: "/reserved_domains", field: "domain" },
      values: () => [`${unique("d")}.example.org`].flatMap((name) => [name, name.toUpperCase()]),
      beside: (domain) => ({ domain: `below.${domain}` }),
    },
  };

  for (const [what, { path, field, body = () => ({}), values, beside }] of Object.entries(UNIQUE)) {
    const root = field.replace("[0]", "");
    const { definition } = TYPES.find((type) => type.path === path) ?? {};
    const isImmutable = marksOf(definition?.fields[root] as never).immutable;

    it(`${what} is refused to another in any notation, stays in updates of its own, and is free once it is gone`, async () => {
      const [base, notations] = [await body(), values()];
      const { id, uri } = await server.created(path, { ...base, [root]: notations[0] });
      const rival = await server.created(path, { ...base, [root]: values()[0] });
      await server.created(path, { ...base, ...(await beside(notations[0])) });
      for (const again of notations) {
        const refusal = { ...taken(field), mentions: root === "hostports" ? [id] : [] };
        expectRefused(await server.rest.post(path, { ...base, [root]: again }), refusal);
        await server.unchangedBy(rival.uri, () => server.rest.patch(rival.uri, { [root]: again }));
        if (!isImmutable) expect((await server.rest.patch(uri, { [root]: again })).status).to.equal(200);
      }
      expect((await server.rest.delete(uri)).status).to.equal(204);
      await server.created(path, { ...base, [root]: notations[0] });
    });

    it(`${what} is got by one of many that ask for it at once`, async () => {
      const [base, notations] = [await body(), values()];
      const asked = Array.from({ length: 12 }, (_, index) => notations[index % notations.length]);
      const answers = await Promise.all(
        asked.map((value) => server.rest.post(path, { ...base, [root]: value })),
      );
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([201, ...Array(11).fill(409)]);
    });
  }

  for (const [first, second] of [
    ["/edges/https", "/edges/tls"],
    ["/edges/tls", "/edges/https"],
  ] as const)
    it(`a hostport of ${first} is refused to ${second}, with all others of the request, until it is given up`, async () => {
      const [served, kept, free] = [hostport(), hostport(), hostport()];
      const { id, uri } = await server.created(first, { hostports: [served, kept] });
      const refusal = { ...taken("hostports[1]"), mentions: [id] };
      expectRefused(await server.rest.post(second, { hostports: [free, served] }), refusal);
      await server.created(second, { hostports: [free] });
      for (const hostports of [[kept, served], [kept]])
        expect((await server.rest.patch(uri, { hostports })).status).to.equal(200);
      await server.created(second, { hostports: [served] });
    });
});
