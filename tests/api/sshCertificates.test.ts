import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { apiOnOneDatabase, type Json } from "../support/api/expect";
import { inTemporaryFolder, run, sshKey } from "../support/api/fixtures";
import { tableOf } from "../support/table";

const HOUR = 3_600_000;
const AUTHORITIES = "/ssh_certificate_authorities";
const USERS = "/ssh_user_certificates";
const HOSTS = "/ssh_host_certificates";

/** What the real ssh-keygen reads in a key or a certificate, line by line. */
const inspect = (text: string, flag = "-L"): string[] =>
  inTemporaryFolder((folder) => {
    writeFileSync(join(folder, "it"), `${text}\n`);
    return run(folder, "env", "TZ=UTC", "ssh-keygen", flag, "-f", "it");
  })
    .split("\n")
    .map((line) => line.trim());

function under(lines: readonly string[], heading: string): string[] {
  const from = lines.findIndex((line) => line.startsWith(heading)) + 1;
  const rest = lines.slice(from);
  const end = rest.findIndex((line) => line === "" || /^[A-Z][A-Za-z ]+:/.test(line));
  return rest.slice(0, end);
}

apiOnOneDatabase("SSH certificate authorities", (server) => {
  const asked = tableOf<readonly [Json, object, algorithm: string][]>(__dirname, "sshAuthorities.yaml");
  for (const [body, answer, algorithm] of asked) {
    it(`one asked for with ${JSON.stringify(body)} gets a key of its own that ssh-keygen reads`, async () => {
      const [created, another] = [
        await server.created(AUTHORITIES, body),
        await server.created(AUTHORITIES, body),
      ];
      expect(created).to.include(answer);
      expect(created.key_type).to.equal(created.private_key_type);
      expect(created.public_key).to.match(new RegExp(`^${algorithm} [A-Za-z0-9+/=]+$`));
      expect(created.public_key).not.to.equal(another.public_key);
      const bits = created.key_size ?? created.elliptic_curve ?? 256;
      expect(inspect(created.public_key, "-l")[0]).to.match(
        new RegExp(`^${bits} .*\\(${created.key_type.toUpperCase()}\\)`),
      );
    });
  }

  it("one never shows its private key, in any answer or log", async () => {
    const before = server.log.length;
    const created = await server.rest.post(AUTHORITIES, { private_key_type: "ecdsa" });
    const texts = [
      created.text,
      (await server.rest.get(created.body.uri)).text,
      (await server.rest.get(AUTHORITIES)).text,
    ];
    texts.push(
      (await server.rest.patch(created.body.uri, { description: "x" })).text,
      server.log.slice(before),
    );
    const [{ value }] = (await server.query(
      `select value from sealed_secret where resource_id = '${created.body.id}'`,
    )) as [{ value: string }];
    const secrets = value.split("\n").filter((line) => line.length > 20 && !line.startsWith("-----"));
    expect(secrets).not.to.be.empty;
    for (const text of texts) for (const line of secrets) expect(text).not.to.include(line.slice(0, 40));
  });

  it("the private key of a deleted one is deleted too", async () => {
    const { uri, id } = await server.created(AUTHORITIES, {});
    const kept = async () =>
      (await server.query(`select name from sealed_secret where resource_id = '${id}'`)).length;
    expect(await kept()).to.equal(1);
    expect((await server.rest.delete(uri)).status).to.equal(204);
    expect(await kept()).to.equal(0);
  });
});

apiOnOneDatabase("SSH certificates", (server) => {
  let authority: { id: string; public_key: string };
  const { openssh: publicKey } = sshKey();
  before(async () => {
    authority = await server.created(AUTHORITIES, {});
  });
  const bodyOf = (body: Json = {}): Json => ({
    ssh_certificate_authority_id: authority.id,
    public_key: publicKey,
    ...body,
  });
  const request = (body: Json, path = USERS) => server.rest.post(path, bodyOf(body));
  const issue = (body: Json = {}, path = USERS) => server.created(path, bodyOf(body));
  const at = (hours: number) =>
    new Date(Math.floor(Date.now() / 1000) * 1000 + hours * HOUR).toISOString().replace(".000Z", "Z");

  it("a user's with only a key and an authority is valid for the next 24 hours and permits a terminal", async () => {
    const before = Date.now();
    const issued = await issue();
    expect(issued).to.deep.include({
      ...{ ssh_certificate_authority_id: authority.id, key_type: "ed25519", principals: [] },
      ...{ critical_options: {}, extensions: { "permit-pty": "", "permit-user-rc": "" } },
    });
    const [from, until] = [Date.parse(issued.valid_after), Date.parse(issued.valid_until)];
    expect(from)
      .to.be.at.least(before - 1000)
      .and.at.most(Date.now());
    expect(until - from).to.equal(24 * HOUR);
    expect(await server.read(issued.uri)).to.deep.equal(issued);
  });

  it("ssh-keygen reads in a user's exactly what was requested", async () => {
    const issued = await issue({
      principals: ["ada", "größe", "root"],
      critical_options: {
        "source-address": "192.0.2.0/24,2001:db8::7",
        "force-command": "/usr/bin/true --now",
      },
      extensions: {
        ...{ "permit-X11-forwarding": "", "permit-agent-forwarding": "", "permit-port-forwarding": "" },
        "permit-user-rc": "",
      },
      valid_after: "2027-01-31T09:00:00.750+01:00",
      valid_until: "2027-02-01T08:00:00Z",
    });
    expect(issued).to.include({
      valid_after: "2027-01-31T09:00:00+01:00",
      valid_until: "2027-02-01T08:00:00Z",
    });
    const lines = inspect(issued.certificate);
    expect(lines).to.include.members([
      "Type: ssh-ed25519-cert-v01@openssh.com user certificate",
      `Key ID: "${issued.id}"`,
      "Valid: from 2027-01-31T08:00:00 to 2027-02-01T08:00:00",
    ]);
    expect(under(lines, "Principals:")).to.have.length(3).and.to.include.members(["ada", "root"]);
    expect(under(lines, "Critical Options:")).to.deep.equal([
      "force-command /usr/bin/true --now",
      "source-address 192.0.2.0/24,2001:db8::7",
    ]);
    expect(under(lines, "Extensions:")).to.deep.equal([
      ...["permit-X11-forwarding", "permit-agent-forwarding", "permit-port-forwarding"],
      "permit-user-rc",
    ]);
  });

  it("ssh-keygen recognizes a host's, which has neither options nor extensions", async () => {
    const issued = await issue({ principals: ["bastion.example.com"] }, HOSTS);
    const lines = inspect(issued.certificate);
    expect(lines).to.include("Type: ssh-ed25519-cert-v01@openssh.com host certificate");
    expect(under(lines, "Principals:")).to.deep.equal(["bastion.example.com"]);
    expect(lines).to.include.members(["Critical Options: (none)", "Extensions: (none)"]);
    for (const field of ["critical_options", "extensions"])
      expect((await request({ [field]: { a: "b" } }, HOSTS)).body.error_code).to.equal("TP_1002");
  });

  it("two from the same request differ in serial number and nonce", async () => {
    const [one, other] = [await issue(), await issue()];
    const serial = (certificate: string) => inspect(certificate).find((line) => line.startsWith("Serial:"));
    expect(serial(one.certificate)).not.to.equal(serial(other.certificate));
  });

  it("one that begins later ends 24 hours after its start, and one that began long ago 24 hours from now", async () => {
    const later = await issue({ valid_after: at(48) });
    expect(Date.parse(later.valid_until) - Date.parse(later.valid_after)).to.equal(24 * HOUR);
    const before = Date.now();
    const earlier = await issue({ valid_after: at(-48) });
    expect(Date.parse(earlier.valid_until)).to.be.at.least(before + 24 * HOUR - 1000);
  });
});
