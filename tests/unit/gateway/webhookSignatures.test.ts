import { execFileSync } from "node:child_process";
import { createHmac } from "node:crypto";
import { join } from "node:path";
import type { Provider } from "../../../gateway/dist/envoy/webhooks";
import { WebhookChecker } from "../../../gateway/dist/webhooks/checker";
import { isSigned, type Signed } from "../../../gateway/dist/webhooks/signatures";
import { newFolder } from "../../support/folder";
import { tableOf } from "../../support/table";

interface Example {
  readonly provider: Provider;
  readonly secret: string;
  readonly at?: number;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly url?: string;
}
const PUBLISHED = tableOf<readonly Example[]>(__dirname, "webhookSignatures.yaml");

/** Signs as OpenSSL does. */
const hmac = (secret: string, text: string, hash = "sha256"): Buffer =>
  execFileSync("openssl", ["dgst", `-${hash}`, "-hmac", secret, "-binary"], { input: text });
const AT = 1_700_000_000;
const BODY = '{"id":"evt_1"}';
const URL_ = "https://app.example.com/hook?bodySHA256=";
const sha256 = execFileSync("openssl", ["dgst", "-sha256", "-hex", "-r"], { input: BODY })
  .toString()
  .slice(0, 64);
const SIGNED: readonly Example[] = [
  ...PUBLISHED,
  { provider: "gitlab", secret: "a token", headers: { "x-gitlab-token": "a token" }, body: BODY },
  {
    provider: "shopify",
    secret: "hush",
    headers: { "x-shopify-hmac-sha256": hmac("hush", BODY).toString("base64") },
    body: BODY,
  },
  {
    provider: "stripe",
    secret: "whsec_test",
    at: AT,
    headers: {
      "stripe-signature": `t=${AT},v0=x,v1=${"0".repeat(64)},v1=${hmac("whsec_test", `${AT}.${BODY}`).toString("hex")}`,
    },
    body: BODY,
  },
  {
    provider: "twilio",
    secret: "12345",
    headers: {
      "x-twilio-signature": hmac("12345", `${URL_}${sha256}`, "sha1").toString("base64"),
      "content-type": "application/json",
    },
    body: BODY,
    url: `${URL_}${sha256}`,
  },
];

describe("The signature of a webhook", () => {
  type One = (typeof SIGNED)[number];
  const check = (one: One, more: Partial<Signed> = {}, secret = one.secret, late = 0): boolean =>
    isSigned(
      one.provider,
      { headers: one.headers, body: Buffer.from(one.body), urls: one.url ? [one.url] : [], ...more },
      secret,
      ((one.at ?? AT) + late) * 1000,
    );

  for (const one of SIGNED)
    it(`of ${one.provider} is accepted as its documents show it, and no other (${one.body.slice(0, 14)}…)`, () => {
      expect(check(one)).to.equal(true);
      expect(check(one, {}, `x${one.secret}`), "another secret").to.equal(false);
      expect(check(one, { headers: {} }), "no signature").to.equal(false);
      for (const name of Object.keys(one.headers).filter((name) => name !== "content-type"))
        expect(check(one, { headers: { ...one.headers, [name]: `${one.headers[name]}0` } }), name).to.equal(
          false,
        );
      // GitLab sends a token, which covers nothing.
      if (one.provider !== "gitlab")
        expect(check(one, { body: Buffer.from(`${one.body}&more=1`) }), "another body").to.equal(false);
    });

  for (const one of SIGNED.filter(({ at }) => at !== undefined))
    it(`of ${one.provider} may be five minutes old, and as far ahead, and no more`, () => {
      for (const [late, isIt] of [
        [299, true],
        [301, false],
        [-299, true],
        [-301, false],
      ] as const)
        expect(check(one, {}, one.secret, late), String(late)).to.equal(isIt);
    });

  it("of twilio is for the address that was asked, of which it takes any that the caller may have used", () => {
    const form = PUBLISHED.find(({ provider }) => provider === "twilio") as One;
    const [url = "", other] = [form.url, "https://mycompany.com:443/myapp.php?foo=1&bar=2"];
    expect(check(form, { urls: [other, url] })).to.equal(true);
    expect(check(form, { urls: [other] })).to.equal(false);
  });

  it("of svix is never accepted with a secret that has no key, since anybody can sign with an empty one", () => {
    const one = PUBLISHED.find(({ provider }) => provider === "svix") as One;
    const text = `${one.headers["svix-id"]}.${one.at}.${one.body}`;
    const signature = createHmac("sha256", "").update(text).digest("base64");
    const headers = { ...one.headers, "svix-signature": `v1,${signature}` };
    for (const secret of ["whsec_", "!!!"]) expect(check(one, { headers }, secret), secret).to.equal(false);
  });

  it("of twilio covers each field of a form, also one whose name and value read like another's", () => {
    const url = "https://app.example.com/hook";
    const headers = {
      "x-twilio-signature": hmac("12345", `${url}ab c`, "sha1").toString("base64"),
      "content-type": "application/x-www-form-urlencoded",
    };
    const form = (body: string): One => ({ provider: "twilio", secret: "12345", headers, body, url });
    expect(check(form("a=b+c"))).to.equal(true);
    expect(check(form("a+b=c&a=b+c"))).to.equal(false);
  });

  it("is checked while the thread that carries agents is busy, and forms that nobody can read are refused", async () => {
    const folder = newFolder();
    const checker = new WebhookChecker(folder);
    const [twilio] = PUBLISHED.filter(({ provider }) => provider === "twilio");
    if (!twilio) throw new Error("Twilio's example is gone");
    await checker.declare({
      https_edge: [
        {
          routes: [
            { id: "r", webhook_verification: { enabled: true, provider: "twilio", secret: twilio.secret } },
          ],
        },
      ],
    } as unknown as Parameters<typeof checker.declare>[0]);
    const headers = { ...twilio.headers, host: "mycompany.com" };
    /** Waits for the answer without letting anything else of this process run. */
    const ask = (body: string, route = "r") =>
      execFileSync(
        process.execPath,
        [
          "-e",
          `const request = require("node:http").request({ ...${JSON.stringify({ socketPath: join(folder, "webhooks"), path: `/${route}/443/myapp.php?foo=1&bar=2`, method: "POST", headers })} }, (answer) => console.log(answer.statusCode) ?? answer.destroy());
           process.stdin.pipe(request);`,
        ],
        { input: body },
      )
        .toString()
        .trim();
    expect(ask(twilio.body)).to.equal("200");
    expect(ask(twilio.body, "other")).to.equal("403");
    for (const part of ["a", "&", "a=&", "%", "%ff", "+"])
      expect(ask(part.repeat(Math.floor(1_048_576 / part.length))), part).to.equal("403");
    expect(ask(twilio.body)).to.equal("200");
  });
});
