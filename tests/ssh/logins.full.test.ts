import type { Json } from "../support/api/expect";
import { type SshKey, sshKey } from "../support/api/fixtures";
import { type Authority, hours, sshWorld } from "../support/ssh";
import { LOGIN, type Login, Sshd } from "../support/sshd";

const AUTHORITIES = {
  "an ed25519 authority": {},
  "an ecdsa authority": { private_key_type: "ecdsa" },
  "an ecdsa authority on P-384": { private_key_type: "ecdsa", elliptic_curve: "384" },
  "an ecdsa authority on P-521": { private_key_type: "ecdsa", elliptic_curve: "521" },
  "an rsa authority": { private_key_type: "rsa" },
  "an rsa authority of 4096 bits": { private_key_type: "rsa", key_size: 4096 },
};
const SUBJECTS = [["ed25519"], ["rsa", 2048], ["ecdsa", 256], ["ecdsa", 384], ["ecdsa", 521]] as const;

describe("A real sshd that trusts authorities", () => {
  const world = sshWorld();
  const trusted: Authority[] = [];
  const keys: SshKey[] = [];
  let sshd: Sshd;
  before("start it", async () => {
    for (const parameters of Object.values(AUTHORITIES)) trusted.push(await world.authority(parameters));
    for (const [type, bits] of SUBJECTS) keys.push(sshKey(type, bits));
    sshd = await Sshd.start({ trusted: trusted.map(({ public_key }) => public_key) });
  });

  /** A key and a certificate of one of them, for the user who runs the tests unless the body names others. */
  const holder = (body: Json = {}, authority = trusted[0] as Authority, key?: SshKey) =>
    world.identity(authority, { principals: [LOGIN], ...body }, key);
  const loginOf = async (body: Json): Promise<Login> => sshd.login(await holder(body));
  function expectRefused(login: Login, reason?: string): void {
    expect(login.code, login.log).to.equal(255);
    expect(login.stdout).to.equal("");
    expect(login.stderr).to.contain("Permission denied (publickey)");
    if (reason) expect(login.log).to.contain(reason);
  }

  for (const [index, name] of Object.keys(AUTHORITIES).entries())
    it(`lets in the holder of a key of each type that ${name} signed`, async () => {
      for (const key of keys) {
        const login = await sshd.login(await holder({}, trusted[index], key));
        expect(login, login.log).to.include({ code: 0, stdout: "welcome\n" });
        expect(login.log).to.contain("Accepted certificate ID");
      }
    });

  for (const [what, body] of [
    ["is for 256", { principals: [...Array.from({ length: 255 }, (_, index) => `user-${index}`), LOGIN] }],
    ["names its address", { critical_options: { "source-address": "127.0.0.1" } }],
    ["names its network", { critical_options: { "source-address": "192.0.2.0/24,127.0.0.0/8" } }],
    [
      "has private extensions",
      { extensions: { "permit-pty": "", "team@example.com": "platform", "a@example.com": "" } },
    ],
  ] as const)
    it(`lets in a holder whose certificate ${what}`, async () =>
      expect(await loginOf(body)).to.include({ code: 0 }));

  for (const [what, body, reason] of [
    ["has expired", { valid_after: hours(-2), valid_until: hours(-1) }, "Certificate invalid: expired"],
    ["is not valid yet", { valid_after: hours(1) }, "Certificate invalid: not yet valid"],
    [
      "names another user",
      { principals: [`${LOGIN}-other`] },
      "Certificate invalid: name is not a listed principal",
    ],
    ["names nobody at all", { principals: [] }, undefined],
    [
      "comes from another address",
      { critical_options: { "source-address": "192.0.2.0/24,2001:db8::1" } },
      "not from a permitted source address",
    ],
  ] as const)
    it(`refuses a certificate that ${what}`, async () => expectRefused(await loginOf(body), reason));

  it("refuses a certificate of another authority", async () =>
    expectRefused(await sshd.login(await holder({}, await world.authority()))));

  it("refuses a certificate that was changed after it was signed", async () => {
    const stranger = LOGIN.replace(/./g, "x");
    const { privateKey, certificate } = await holder({ principals: [stranger] });
    const [algorithm, base64 = ""] = certificate.split(" ");
    const bytes = Buffer.from(base64, "base64");
    bytes.write(LOGIN, bytes.indexOf(stranger));
    expectRefused(await sshd.login({ privateKey, certificate: `${algorithm} ${bytes.toString("base64")}` }));
  });

  it("refuses a holder of the certificate who does not hold the key", async () => {
    const { certificate } = await holder();
    expectRefused(await sshd.login({ privateKey: sshKey().privateKey, certificate }));
  });

  it("runs the forced command in place of the requested one", async () => {
    const forced = { critical_options: { "force-command": 'echo "forced, not $SSH_ORIGINAL_COMMAND"' } };
    const login = await sshd.login(await holder(forced), { command: "whoami" });
    expect(login).to.include({ code: 0, stdout: "forced, not whoami\n" });
  });
});
