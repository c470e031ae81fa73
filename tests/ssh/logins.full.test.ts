import { expect } from "chai";
import { sshKey } from "../support/api/fixtures";
import { hours, sshWorld } from "../support/ssh";
import { LOGIN, type Login } from "../support/sshd";

const AUTHORITIES = {
  "an ed25519 authority": {},
  "an ecdsa authority": { private_key_type: "ecdsa" },
  "an rsa authority": { private_key_type: "rsa" },
};
const SUBJECTS = [["ed25519"], ["rsa", 2048], ["ecdsa", 256], ["ecdsa", 384], ["ecdsa", 521]] as const;

describe("A real sshd that trusts an authority", () => {
  const world = sshWorld();

  function expectRefused(login: Login, reason?: string): void {
    expect(login.code, login.log).to.equal(255);
    expect(login.stdout).to.equal("");
    expect(login.stderr).to.contain("Permission denied (publickey)");
    if (reason) expect(login.log).to.contain(reason);
  }

  for (const [name, parameters] of Object.entries(AUTHORITIES)) {
    for (const [type, bits] of SUBJECTS) {
      it(`lets in the holder of a key (${[type, bits].filter(Boolean).join(" ")}) that ${name} signed`, async () => {
        const authority = await world.authority(parameters);
        const sshd = await world.sshd({ trusted: [authority.public_key] });
        const holder = await world.identity(authority, { principals: [LOGIN] }, sshKey(type, bits));
        const login = await sshd.login(holder);
        expect(login, login.log).to.include({ code: 0, stdout: "welcome\n" });
        expect(login.log).to.contain("Accepted certificate ID");
      });
    }
  }

  for (const [name, parameters] of [
    ["ecdsa on P-384", { private_key_type: "ecdsa", elliptic_curve: "384" }],
    ["ecdsa on P-521", { private_key_type: "ecdsa", elliptic_curve: "521" }],
    ["rsa of 4096 bits", { private_key_type: "rsa", key_size: 4096 }],
  ] as const) {
    it(`lets in the holder of a key that an authority with the largest keys signed (${name})`, async () => {
      const authority = await world.authority(parameters);
      const sshd = await world.sshd({ trusted: [authority.public_key] });
      const login = await sshd.login(await world.identity(authority, { principals: [LOGIN] }));
      expect(login, login.log).to.include({ code: 0, stdout: "welcome\n" });
    });
  }

  it("lets in each of 256 principals", async () => {
    const authority = await world.authority();
    const sshd = await world.sshd({ trusted: [authority.public_key] });
    const principals = [...Array.from({ length: 255 }, (_, index) => `user-${index}`), LOGIN];
    expect(await sshd.login(await world.identity(authority, { principals }))).to.include({ code: 0 });
  });

  for (const [what, body, reason] of [
    [
      "has expired",
      { principals: [LOGIN], valid_after: hours(-2), valid_until: hours(-1) },
      "Certificate invalid: expired",
    ],
    [
      "is not valid yet",
      { principals: [LOGIN], valid_after: hours(1) },
      "Certificate invalid: not yet valid",
    ],
    [
      "names another user",
      { principals: [`${LOGIN}-other`] },
      "Certificate invalid: name is not a listed principal",
    ],
    ["names nobody at all", { principals: [] }, undefined],
    [
      "comes from another address",
      { principals: [LOGIN], critical_options: { "source-address": "192.0.2.0/24,2001:db8::1" } },
      "not from a permitted source address",
    ],
  ] as const) {
    it(`refuses a certificate that ${what}`, async () => {
      const authority = await world.authority();
      const sshd = await world.sshd({ trusted: [authority.public_key] });
      expectRefused(await sshd.login(await world.identity(authority, body)), reason);
    });
  }

  it("refuses a certificate of another authority", async () => {
    const [authority, other] = [await world.authority(), await world.authority()];
    const sshd = await world.sshd({ trusted: [other.public_key] });
    expectRefused(await sshd.login(await world.identity(authority, { principals: [LOGIN] })));
  });

  it("refuses a certificate that was changed after it was signed", async () => {
    const authority = await world.authority();
    const sshd = await world.sshd({ trusted: [authority.public_key] });
    const stranger = LOGIN.replace(/./g, "x");
    const { privateKey, certificate } = await world.identity(authority, { principals: [stranger] });
    const [algorithm, base64 = ""] = certificate.split(" ");
    const bytes = Buffer.from(base64, "base64");
    bytes.write(LOGIN, bytes.indexOf(stranger));
    expectRefused(await sshd.login({ privateKey, certificate: `${algorithm} ${bytes.toString("base64")}` }));
  });

  it("refuses a holder of the certificate who does not hold the key", async () => {
    const authority = await world.authority();
    const sshd = await world.sshd({ trusted: [authority.public_key] });
    const { certificate } = await world.identity(authority, { principals: [LOGIN] });
    expectRefused(await sshd.login({ privateKey: sshKey().privateKey, certificate }));
  });

  it("runs the forced command in place of the requested one", async () => {
    const authority = await world.authority();
    const sshd = await world.sshd({ trusted: [authority.public_key] });
    const forced = {
      principals: [LOGIN],
      critical_options: { "force-command": 'echo "forced, not $SSH_ORIGINAL_COMMAND"' },
    };
    const login = await sshd.login(await world.identity(authority, forced), { command: "whoami" });
    expect(login).to.include({ code: 0, stdout: "forced, not whoami\n" });
  });

  it("lets in from an address or network that the certificate names", async () => {
    const authority = await world.authority();
    const sshd = await world.sshd({ trusted: [authority.public_key] });
    for (const addresses of ["127.0.0.1", "192.0.2.0/24,127.0.0.0/8"]) {
      const body = { principals: [LOGIN], critical_options: { "source-address": addresses } };
      expect(await sshd.login(await world.identity(authority, body)), addresses).to.include({ code: 0 });
    }
  });

  it("accepts a certificate with private extensions", async () => {
    const authority = await world.authority();
    const sshd = await world.sshd({ trusted: [authority.public_key] });
    const extensions = { "permit-pty": "", "team@example.com": "platform", "a@example.com": "" };
    expect(await sshd.login(await world.identity(authority, { principals: [LOGIN], extensions }))).to.include(
      { code: 0 },
    );
  });
});
