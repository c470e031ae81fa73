import { apiOnEveryDatabase, unique, unknownId } from "../../support/api/expect";
import { serverCertificate, sshKey } from "../../support/api/fixtures";
import { refusedBeside } from "../../support/refusal";
import { Rest, type RestAnswer } from "../../support/rest";

apiOnEveryDatabase("Between projects,", (server) => {
  const newProject = (fields: object = {}): Promise<RestAnswer["body"]> =>
    server.created("/projects", { name: unique("team"), ...fields });
  const botIn = async ({ name }: { name: string }, role = "member") => {
    const admin = server.rest.inside(name);
    const bot = await admin.created("/bot_users", { name: unique("bot"), role });
    const { token } = await admin.created("/api_keys", { owner_id: bot.id });
    return { bot, rest: new Rest(server.url, token) };
  };

  it("a shared project lends no private key: who has an authority or a certificate of it used needs the role member there", async () => {
    const lender = await newProject({ shared: true });
    const lending = server.rest.inside(lender.name);
    const own = await newProject();
    const { rest, bot } = await botIn(own);
    const [viewer, member] = [await botIn(own, "viewer"), await botIn(lender)];
    const authority = await lending.created("/ssh_certificate_authorities", {});
    const body = {
      ssh_certificate_authority_id: authority.id,
      public_key: sshKey().openssh,
      principals: ["root"],
    };
    const attempts = ["ssh_user_certificate", "ssh_host_certificate"].flatMap((kind) =>
      ["", "?dry_run=true"].flatMap((query) => [
        (caller: Rest) => caller.post(`/${kind}s${query}`, body),
        (caller: Rest) =>
          caller.post(`/changesets${query}`, {
            set: unique("set"),
            objects: [{ kind, key: "a", fields: body }],
          }),
      ]),
    );
    expect((await rest.get(`/ssh_certificate_authorities/${authority.id}`)).body).to.deep.equal(authority);
    const grant = async (role: string) =>
      server.created("/memberships", { project_id: lender.id, role, bot_user_id: bot.id });
    for (const [role, words] of [
      [undefined, "no role"],
      ["viewer", "the role viewer"],
    ] as const) {
      if (role) await grant(role);
      for (const attempt of attempts) {
        const {
          refused: [refusal],
        } = await refusedBeside({
          refused: () => attempt(rest.inside(own.name)),
          as: 403,
          allowed: () => attempt(member.rest),
        });
        for (const word of ["role member", `"${lender.name}"`, words])
          expect(refusal?.body.msg).to.contain(word);
        expect(refusal?.text).not.to.contain("cert-v01");
      }
    }
    await grant("member");
    for (const attempt of attempts)
      await refusedBeside({
        refused: () => attempt(viewer.rest),
        as: 403,
        allowed: () => attempt(rest.inside(own.name)),
      });
    const certificate = await lending.created("/tls_certificates", serverCertificate());
    const domain = { domain: "app.example.com", certificate_id: certificate.id };
    expect(
      (await server.rest.inside(own.name).post("/reserved_domains?dry_run=true", domain)).status,
    ).to.equal(201);
  });

  it("a plan of a viewer tells nothing about ids of other projects", async () => {
    const [own, other] = [await newProject(), await newProject()];
    const { bot } = await botIn(own);
    const viewer = await botIn(own, "viewer");
    const stranger = await botIn(other);
    const identity = {
      issuer: "https://id.example.com",
      audiences: ["a"],
      claims: { sub: "repo:acme/web:x" },
    };
    for (const [kind, path, fields, field, mine] of [
      ["membership", "/memberships", { project_id: own.id, role: "viewer" }, "bot_user_id", bot.id],
      ["membership", "/memberships", { bot_user_id: bot.id, role: "viewer" }, "project_id", own.id],
      ["workload_identity", "/workload_identities", identity, "bot_user_id", bot.id],
      ["api_key", "/api_keys", {}, "project_id", own.id],
      ["api_key", "/api_keys", {}, "owner_id", bot.id],
      ["tunnel_credential", "/credentials", {}, "owner_id", bot.id],
    ] as const) {
      const foreign = field === "project_id" ? other.id : stranger.bot.id;
      const unknown = `${foreign.split("_")[0]}_${"1".repeat(27)}`;
      const plan = async (id: string) => {
        const single = await viewer.rest.post(`${path}?dry_run=true`, { ...fields, [field]: id });
        const objects = [{ kind, key: "a", fields: { ...fields, [field]: id } }];
        const inSet = await viewer.rest.post("/changesets?dry_run=true", { set: "plan", objects });
        const comparable = ({ status, text }: RestAnswer) =>
          `${status} ${status < 400 ? "" : text.replaceAll(id, "ID").replaceAll(/op_\w+/g, "")}`;
        return [comparable(single), comparable(inSet)];
      };
      expect(await plan(mine), `${path} ${field}`).to.deep.equal(["201 ", "200 "]);
      const told = await plan(foreign);
      expect(told, `${path} ${field}`).to.deep.equal(await plan(unknown));
      expect(told[0]).to.match(/^400 /);
    }
    const planned = await Promise.all(
      [unknownId("usr"), "usr_admin"].map((user_id) =>
        viewer.rest.post("/memberships?dry_run=true", { project_id: own.id, role: "viewer", user_id }),
      ),
    );
    expect(planned[0]?.status).to.equal(planned[1]?.status);
  });
});
