import { expect } from "chai";
import { type Choices, sshAccess } from "../../examples/ssh-access/program";
import type { Engine } from "../support/engine";
import { changesOf, failureOf, World } from "../support/provider";

// The cases follow each other on one stack.
describe("The example ssh-access", () => {
  const world = new World();
  let choices: Choices = {};
  let server: Awaited<ReturnType<World["server"]>>;
  let stack: Engine;
  before("run it", async () => {
    server = await world.server();
    stack = await world.stack(server, async () => sshAccess(choices));
    await stack.up();
  });
  after(() => world.close());

  const certificates = async () =>
    (await server.rest.get("/ssh_user_certificates")).body.ssh_user_certificates;
  const credentials = async () => (await server.rest.get("/ssh_credentials")).body.ssh_credentials;

  it("gives Ada a certificate for a day and a credential, and outputs the key that servers have to trust", async () => {
    const [certificate] = await certificates();
    const [authority] = (await server.rest.get("/ssh_certificate_authorities")).body
      .ssh_certificate_authorities;
    const [credential] = await credentials();
    const outputs = Object.entries(stack.outputs()).map(([name, { value }]) => [name, value]);
    expect(Object.fromEntries(outputs)).to.deep.equal({
      trustedUserCaKeys: authority.public_key,
      certificate: certificate.certificate,
      validUntil: certificate.valid_until,
      credential: credential.id,
    });
    expect(certificate).to.deep.include({
      ssh_certificate_authority_id: authority.id,
      principals: ["ada"],
      extensions: { "permit-pty": "", "permit-port-forwarding": "" },
    });
    expect(changesOf(await stack.up()), "nothing to do").to.deep.equal([]);
  });

  it("updates the credential in place when its ACL changes, and replaces the certificate, the new one first, when Ada may log in as somebody else", async () => {
    choices = { acl: ["bind:ada.example.com", "bind:*.ada.example.com"] };
    const ofCertificate = ["create-replacement ada principals[1]", "replace ada principals[1]"];
    expect(changesOf(await stack.preview()), "leaves the certificate alone").to.deep.equal([
      "update ada acl[1]",
    ]);
    choices = { ...choices, principals: ["ada", "deploy"] };
    const changes = changesOf(await stack.up());
    expect(changes).to.have.members([...ofCertificate, "update ada acl[1]", "delete-replaced ada"]);
    expect(changes.at(-1)).to.equal("delete-replaced ada");
    expect(
      (await certificates()).map(({ principals }: { principals: string[] }) => principals),
    ).to.deep.equal([["ada", "deploy"]]);
  });

  it("replaces certificate and credential when Ada gets another key", async () => {
    choices = { key: "ada-new-laptop.pub" };
    await stack.up();
    const keys = [...(await certificates()), ...(await credentials())].map(
      ({ public_key }: { public_key: string }) => public_key.split(" ")[2],
    );
    expect(keys).to.deep.equal(["ada-2@example.com", "ada-2@example.com"]);
  });

  it("fails in the preview, and changes nothing, when the certificate could never live up to its renewal", async () => {
    const before = await certificates();
    choices = { ...choices, renewBefore: "2d", principals: ["ada,root"] };
    expect(await failureOf(stack.preview())).to.contain("principals[0] holds a comma");
    choices = { ...choices, principals: ["ada"] };
    expect(await failureOf(stack.up())).to.contain("renewBefore is 2d, but the whole validity is 24h");
    expect(await certificates()).to.deep.equal(before);
  });
});
