import type { Deployment } from "@pulumi/pulumi/automation";
import type * as dynamic from "@tunnelplane/pulumi";
import { expect } from "chai";
import type { Engine } from "../support/engine";
import { changesOf, failureOf, makeSshKey, World } from "../support/provider";
import { onEveryProvider } from "../support/providers";

const HOUR = 3_600_000;
const LIST_KEYS = {
  SshUserCertificate: "ssh_user_certificates",
  SshHostCertificate: "ssh_host_certificates",
} as const;

onEveryProvider("SSH certificates in a program", (tunnels, provider) => {
  const world = new World();
  const publicKey = makeSshKey();
  after(() => world.close());

  /** A program with one certificate, and the arguments that its next run declares. */
  async function declaring(type: keyof typeof LIST_KEYS, args: Partial<dynamic.SshHostCertificateArgs>) {
    const [Certificate, listKey] = [tunnels[type], LIST_KEYS[type]];
    const server = await world.server();
    const program = { args };
    const stack = await world.stack(server, async () => {
      const authority = new tunnels.SshCertificateAuthority("authority");
      new Certificate("certificate", {
        sshCertificateAuthorityId: authority.id,
        publicKey,
        principals: ["ada"],
        ...program.args,
      });
    });
    const issued = async () => (await server.rest.get(`/${listKey}`)).body[listKey];
    return { server, stack, program, issued };
  }

  /**
   * Moves what a stack has recorded of its certificate's end to so many hours from now, as if time had
   * passed.
   */
  async function leaving(stack: Engine, hours: number): Promise<void> {
    const state = await stack.exportState();
    const { resources } = state.deployment as {
      resources: { urn: string; inputs: { validUntil: string } }[];
    };
    const end = resources.find(({ urn }) => urn.endsWith("::certificate"))?.inputs.validUntil ?? "";
    const sooner = new Date(Date.now() + hours * HOUR).toISOString();
    await stack.importState(
      JSON.parse(JSON.stringify(state).replaceAll(JSON.stringify(end), JSON.stringify(sooner))) as Deployment,
    );
  }

  const REPLACED = [
    "create-replacement certificate validUntil",
    "replace certificate validUntil",
    "delete-replaced certificate",
  ];

  for (const type of ["SshUserCertificate", "SshHostCertificate"] as const) {
    it(`a program that leaves the times of an ${type} to the server changes nothing in later runs, and a refresh finds no drift`, async () => {
      const { stack, issued } = await declaring(type, {});
      await stack.up();
      const [first] = await issued();
      expect(changesOf(await stack.up())).to.deep.equal([]);
      await stack.refresh();
      expect(changesOf(await stack.up())).to.deep.equal([]);
      expect(await issued()).to.deep.equal([first]);
      expect(Date.parse(first.valid_until) - Date.parse(first.valid_after)).to.equal(24 * HOUR);
    });

    it(`a renewed ${type} stays while enough is left of it, through runs and refreshes`, async () => {
      const { stack, issued } = await declaring(type, { validFor: "30d", renewBefore: "10d" });
      const before = Date.now();
      await stack.up();
      const [first] = await issued();
      expect(Date.parse(first.valid_until)).to.be.within(
        before + 30 * 24 * HOUR - 1000,
        Date.now() + 30 * 24 * HOUR,
      );
      expect(changesOf(await stack.up())).to.deep.equal([]);
      await stack.refresh();
      expect(changesOf(await stack.up())).to.deep.equal([]);
      expect(await issued()).to.deep.equal([first]);
    });

    it(`a renewed ${type} is replaced, the new one first, once less is left of it; the preview shows both ends`, async () => {
      const { stack, issued } = await declaring(type, { renewBefore: "8h" });
      await stack.up();
      const [first] = await issued();
      await leaving(stack, 7);
      const preview = await stack.preview({ diff: true });
      expect(changesOf(preview)).to.deep.equal(REPLACED);
      expect(preview.stdout).to.match(/~ validUntil: "[^"]+" => "[^"]+"/);
      expect(preview.warnings.join(), "why").to.contain(
        "less than its `renewBefore` of 8h is left: a new one replaces it",
      );
      expect(changesOf(await stack.up())).to.deep.equal(REPLACED);
      const [second, ...others] = await issued();
      expect(others).to.deep.equal([]);
      expect(second.id).not.to.equal(first.id);
      expect(second.certificate).not.to.equal(first.certificate);
      expect(changesOf(await stack.up()), "not again").to.deep.equal([]);
    });
  }

  it("a certificate is not renewed while more than renewBefore is left of it", async () => {
    const { stack } = await declaring("SshUserCertificate", { renewBefore: "8h" });
    await stack.up();
    await leaving(stack, 9);
    expect(changesOf(await stack.up())).to.deep.equal([]);
  });

  it("a certificate without renewBefore is left to expire", async () => {
    const { stack } = await declaring("SshUserCertificate", { validFor: "2d" });
    await stack.up();
    await leaving(stack, -1);
    expect(changesOf(await stack.up())).to.deep.equal([]);
  });

  it("another renewBefore is recorded without a new certificate; another validFor needs one", async () => {
    const { stack, program, issued } = await declaring("SshUserCertificate", {
      validFor: "2d",
      renewBefore: "8h",
    });
    await stack.up();
    const [first] = await issued();
    program.args = { validFor: "2d", renewBefore: "4h" };
    expect(changesOf(await stack.up())).to.deep.equal(["update certificate renewBefore"]);
    expect(await issued()).to.deep.equal([first]);
    program.args = { validFor: "3d", renewBefore: "4h" };
    expect(changesOf(await stack.up())[0]).to.equal("create-replacement certificate validFor validUntil");
    expect((await issued())[0].id).not.to.equal(first.id);
    program.args = {};
    // The dynamic provider keeps the end that it chose among the inputs.
    const besides = provider === "dynamic" ? " validUntil" : "";
    expect(changesOf(await stack.up())).to.deep.equal([`update certificate renewBefore validFor${besides}`]);
    expect(changesOf(await stack.up())).to.deep.equal([]);
  });

  it("another principal needs a new certificate, which is created before the old one is deleted", async () => {
    const { stack, program } = await declaring("SshUserCertificate", {});
    await stack.up();
    program.args = { principals: ["ada", "root"] };
    expect(changesOf(await stack.up())).to.deep.equal([
      "create-replacement certificate principals[1]",
      "replace certificate principals[1]",
      "delete-replaced certificate",
    ]);
  });

  for (const [args, ...words] of [
    [{ renewBefore: "soon" }, 'renewBefore must be a length of time, for example "8h"'],
    [{ renewBefore: "24h" }, "renewBefore is 24h, but the whole validity is 24h"],
    [{ validFor: "2d", renewBefore: "3d" }, "renewBefore is 3d, but the whole validity is 2d"],
    [
      { validUntil: "2040-01-01T00:00:00Z", renewBefore: "8h" },
      "renewBefore cannot move the end that `validUntil` fixes",
      "`validFor`",
    ],
    [{ validUntil: "2040-01-01T00:00:00Z", validFor: "8h" }, "validFor cannot go with `validUntil`"],
    [
      { validAfter: "2040-01-01T00:00:00Z", validUntil: "2039-01-01T00:00:00Z" },
      "validUntil must be at least a second after `validAfter`",
    ],
    [
      { extensions: { "permit-everything": "" } },
      'extensions["permit-everything"] is not an extension of OpenSSH',
    ],
  ] as [Partial<dynamic.SshUserCertificateArgs>, ...string[]][]) {
    it(`a preview refuses ${JSON.stringify(args)} without a server, and says where the mistake stands`, async () => {
      const stack = await world.stack(
        { url: "http://127.0.0.1:9", apiKey: "never-sent-anywhere" },
        async () => {
          new tunnels.SshUserCertificate("bad", {
            sshCertificateAuthorityId: "sshca_x",
            publicKey,
            principals: ["ada"],
            ...args,
          });
        },
      );
      const message = await failureOf(stack.preview());
      for (const text of words) expect(message).to.contain(text);
    });
  }

  it("a preview warns of a certificate without principals, and issues it as asked", async () => {
    const { stack, program, issued } = await declaring("SshUserCertificate", { principals: [] });
    const { warnings } = await stack.preview();
    expect(warnings).to.have.length(1);
    expect(warnings[0])
      .to.contain("SshUserCertificate: principals is empty")
      .and.to.contain("sshd refuses such certificates");
    await stack.up();
    expect((await issued())[0].principals).to.deep.equal([]);
    program.args = { principals: ["ada"] };
    expect((await stack.preview()).warnings).to.deep.equal([]);
  });

  it("a preview of a host certificate without principals warns of newer clients", async () => {
    const { stack } = await declaring("SshHostCertificate", { principals: [] });
    expect((await stack.preview()).warnings.join())
      .to.contain("SshHostCertificate: principals is empty")
      .and.to.contain("OpenSSH 10.3");
  });
});
