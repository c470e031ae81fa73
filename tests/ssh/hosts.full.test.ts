import type { Json } from "../support/api/expect";
import { type Authority, hours, sshWorld } from "../support/ssh";
import { LOGIN } from "../support/sshd";

const NAME = "bastion.example.com";

interface Visit {
  readonly body?: Json;
  readonly by: Authority;
  readonly trusting: Authority;
  readonly kind?: "host" | "user";
}

describe("A host with a certificate", () => {
  const world = sshWorld();
  /** Starts a host with a certificate of one authority, and logs in with a client that trusts the other. */
  async function visit({ body = {}, by, trusting, kind = "host" }: Visit) {
    const users = await world.authority();
    const sshd = await world.sshd({
      trusted: [users.public_key],
      certifyHost: async (public_key) => {
        const sent = { ssh_certificate_authority_id: by.id, public_key, principals: [NAME], ...body };
        return (await world.server.created(`/ssh_${kind}_certificates`, sent)).certificate;
      },
    });
    const holder = await world.identity(users, { principals: [LOGIN] });
    return sshd.login(holder, {
      hostName: NAME,
      knownHosts: `@cert-authority *.example.com ${trusting.public_key}`,
    });
  }

  for (const private_key_type of ["ed25519", "ecdsa", "rsa"]) {
    it(`is known to a client that trusts its authority (${private_key_type}) and has never seen its key`, async () => {
      const authority = await world.authority({ private_key_type });
      const login = await visit({ by: authority, trusting: authority });
      expect(login, login.stderr).to.include({ code: 0, stdout: "welcome\n" });
    });
  }

  it("is not known to a client that trusts another authority", async () => {
    const login = await visit({ by: await world.authority(), trusting: await world.authority() });
    expect(login.code).to.equal(255);
    expect(login.stderr).to.contain("Host key verification failed");
  });

  for (const [what, body, reason] of [
    ["has expired", { valid_after: hours(-2), valid_until: hours(-1) }, "Certificate invalid: expired"],
    [
      "names another host",
      { principals: ["other.example.com"] },
      "Certificate invalid: name is not a listed principal",
    ],
  ] as const) {
    it(`is not known when the certificate ${what}`, async () => {
      const authority = await world.authority();
      const login = await visit({ body, by: authority, trusting: authority });
      expect(login.code).to.equal(255);
      expect(login.stderr).to.contain(reason);
    });
  }

  it("is not known by a certificate for users", async () => {
    const authority = await world.authority();
    const login = await visit({ by: authority, trusting: authority, kind: "user" });
    expect(login.code).to.equal(255);
    expect(login.stderr).to.contain("Host key verification failed");
  });
});
