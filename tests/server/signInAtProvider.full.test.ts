import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { expect } from "chai";
import { newFolder } from "../support/folder";
import { CLIENT, IdentityProvider } from "../support/identityProvider";
import { refusedBeside } from "../support/refusal";
import { command, endOf, ServerProcess } from "../support/server";
import { Visitor } from "../support/signIn";

/** Nothing of a user but the subject is in its ID tokens: the rest is at its userinfo, signed. */
describe("Signing in at a genuine OpenID provider", () => {
  let provider: IdentityProvider;
  let secret: string;
  before("start a provider that offers post and Basic, and takes this client by Basic alone", async () => {
    provider = await IdentityProvider.start({
      takesBasicAlone: true,
      client: { userinfo_signed_response_alg: "RS256" },
      settings: { features: { jwtUserinfo: { enabled: true } } },
    });
    secret = join(newFolder(), "secret");
    writeFileSync(secret, `${CLIENT.secret}\n`);
  });
  const start = (...more: string[]) =>
    ServerProcess.start({
      args: [
        ...["--oidc-issuer", provider.url, "--oidc-client-id", CLIENT.id],
        ...["--oidc-client-secret-file", secret, ...more],
      ],
    });
  const back = async (one: Visitor, begun: URL, name: string): Promise<Response> => {
    const address = new URL(await provider.throughForms(begun.href, name));
    return one.send(address.pathname + address.search);
  };
  async function enter(server: ServerProcess, name: string): Promise<number> {
    const one = new Visitor(server.url);
    return (await back(one, (await one.begin()).address, name)).status;
  }

  it("says who the server is by post, and by Basic after invalid_client: for the console in two tabs, and for `tunnelplane login`", async () => {
    const server = await start();
    const one = new Visitor(server.url);
    const tabs = [await one.begin("/console#/a"), await one.begin("/console#/b")];
    for (const [index, { address }] of [...tabs.entries()].reverse())
      expect((await back(one, address, "ann")).headers.get("location")).to.equal(
        `${server.url}/console#/${"ab"[index]}`,
      );
    expect(provider.came).to.deep.equal([
      ...["client_secret_post 401", "client_secret_basic 200", "client_secret_basic 200"],
    ]);

    const home = newFolder();
    const login = command("/nowhere", ["login", "--url", server.url], {
      ...{ HOME: home, XDG_CONFIG_HOME: undefined, BROWSER: "true" },
      ...{ TUNNELPLANE_API_KEY: undefined, TUNNELPLANE_BASE_URL: undefined },
    });
    const ended = endOf(login);
    let said = "";
    let path = "";
    for await (const part of login.stderr as Readable) {
      said += part;
      path = /Open http:\/\/[^/]+(\/login\S+)\n/.exec(said)?.[1] ?? "";
      if (path) break;
    }
    const other = new Visitor(server.url);
    const { address } = await other.begin(path);
    const page = (await back(other, address, "bob")).headers.get("location");
    expect(page).to.equal(server.url + path);
    const form = await (await other.send(path)).text();
    const fields = [...form.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [
      name,
      value,
    ]);
    const letIn = await other.send("/login", {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams(fields as [string, string][]).toString(),
    });
    await fetch(letIn.headers.get("location") ?? "");
    expect((await ended).code).to.equal(0);
  });

  it("takes what a signed userinfo says, and one that is not good refuses only who needs it", async () => {
    provider.changed.set("/.well-known/openid-configuration", (document) => ({
      ...(document as object),
      userinfo_signing_alg_values_supported: undefined, // as with many
    }));
    const needs = await start();
    const needsNot = await start("--oidc-username-claim", "sub");
    const one = new Visitor(needs.url);
    expect((await back(one, (await one.begin()).address, "ann")).status).to.equal(303);
    expect((await one.session()).user).to.include({ name: "ann@example.com" });
    for (const [what, change] of Object.entries({
      "another's signature": (body: unknown) => `${String(body).slice(0, -20)}${"A".repeat(20)}`,
      "somebody else": (body: unknown) => {
        const [head, , end] = String(body).split(".");
        const claims = { sub: "eve", email: "ann@example.com", iss: provider.url, aud: CLIENT.id };
        return `${head}.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.${end}`;
      },
      nothing: () => "nothing",
    })) {
      provider.changed.set("/me", change);
      await refusedBeside({
        refused: () => enter(needs, "ann"),
        as: 403,
        allowed: () => enter(needsNot, "ann"),
        allowedAs: 303,
      });
      provider.changed.clear();
      expect(await enter(needs, "ann"), what).to.equal(303);
    }
    expect(needs.log + needsNot.log).not.to.contain("[object");
  });
});
