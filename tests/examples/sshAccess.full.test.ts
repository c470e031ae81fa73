import { expect } from "chai";
import { type Choices, sshAccess } from "../../examples/ssh-access/program";
import { changesOf, failureOf, World } from "../support/provider";

describe("The example ssh-access", () => {
  const world = new World();
  after(() => world.close());

  async function running(choices: Choices = {}) {
    const server = await world.server();
    const program = { choices };
    const stack = await world.stack(server, async () => sshAccess(program.choices));
    await stack.up();
    return { server, stack, program };
  }

  it("gives Ada a certificate for a day and a credential, and outputs the key that servers have to trust", async () => {
    const { server, stack } = await running();
    const [certificate] = (await server.rest.get("/ssh_user_certificates")).body.ssh_user_certificates;
    const [authority] = (await server.rest.get("/ssh_certificate_authorities")).body
      .ssh_certificate_authorities;
    const [credential] = (await server.rest.get("/ssh_credentials")).body.ssh_credentials;
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

  it("updates the credential in place when its ACL changes, and leaves the certificate alone", async () => {
    const { stack, program } = await running();
    program.choices = { acl: ["bind:ada.example.com", "bind:*.ada.example.com"] };
    expect(changesOf(await stack.up())).to.deep.equal(["update ada acl[1]"]);
  });

  it("replaces the certificate, the new one first, when Ada may log in as somebody else", async () => {
    const { server, stack, program } = await running();
    program.choices = { principals: ["ada", "deploy"] };
    expect(changesOf(await stack.up())).to.deep.equal([
      "create-replacement ada principals[1]",
      "replace ada principals[1]",
      "delete-replaced ada",
    ]);
    const { ssh_user_certificates } = (await server.rest.get("/ssh_user_certificates")).body;
    expect(
      ssh_user_certificates.map((certificate: { principals: string[] }) => certificate.principals),
    ).to.deep.equal([["ada", "deploy"]]);
  });

  it("replaces certificate and credential when Ada gets another key", async () => {
    const { server, stack, program } = await running();
    program.choices = { key: "ada-new-laptop.pub" };
    await stack.up();
    const keys = [
      ...(await server.rest.get("/ssh_user_certificates")).body.ssh_user_certificates,
      ...(await server.rest.get("/ssh_credentials")).body.ssh_credentials,
    ].map(({ public_key }: { public_key: string }) => public_key.split(" ")[2]);
    expect(keys).to.deep.equal(["ada-2@example.com", "ada-2@example.com"]);
  });

  it("fails in the preview, and changes nothing, when the certificate could never live up to its renewal", async () => {
    const { server, stack, program } = await running();
    const before = (await server.rest.get("/ssh_user_certificates")).body;
    program.choices = { renewBefore: "2d", principals: ["ada,root"] };
    const message = await failureOf(stack.preview());
    expect(message).to.contain("principals[0] holds a comma");
    program.choices = { renewBefore: "2d" };
    expect(await failureOf(stack.up())).to.contain("renewBefore is 2d, but the whole validity is 24h");
    expect((await server.rest.get("/ssh_user_certificates")).body).to.deep.equal(before);
  });
});
