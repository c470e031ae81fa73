import { createHmac, generateKeyPairSync, type KeyObject } from "node:crypto";
import { present } from "@tunnelplane/sdk/contract";
import type { Refusal } from "../../support/api/expect";
import { expectRefused, invalid, serverOfThisFile, unavailable } from "../../support/api/expect";
import { onOneDatabase, untilTestEnds } from "../../support/databases";
import { refusedBeside } from "../../support/refusal";
import type { RestAnswer } from "../../support/rest";
import {
  AUDIENCE,
  admittedIdentity,
  exchange,
  StandInTokenIssuer,
  SUBJECT,
  secondsFromNow,
} from "../../support/tokenIssuer";

const refusedToken = { status: 401, code: "TP_1103" };
const limited = { status: 429, code: "TP_1403" };
const SLIPS = 30;
const EXCHANGES = 120;
const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString("base64url");
/** The order of the curve P-256 (SEC 2). */
const ORDER_P256 = Buffer.from("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551", "hex");
/** The order of Ed25519 (RFC 8032 section 5.1). */
const ORDER_ED25519 = 2n ** 252n + 27742317777372353535851937790883648493n;

/** The same number in Ed25519's form, but for a multiple of the order: a check that is missing takes it. */
function plusOrder(littleEndian: Buffer): Buffer {
  const number = BigInt(`0x${Buffer.from(littleEndian).reverse().toString("hex")}`) + ORDER_ED25519;
  return Buffer.from(number.toString(16).padStart(64, "0"), "hex").reverse();
}

/** A signature as X.509 writes it, where JSON Web Signatures have the two numbers alone. */
function derOf(...numbers: Buffer[]): Buffer {
  const parts = numbers.map((number) => Buffer.concat([Buffer.of(2, 33, 0), number]));
  return Buffer.concat([Buffer.of(0x30, 70), ...parts]);
}

/** Checks a refusal but for the fields that only exchanges have. */
const no =
  (refusal: Refusal) =>
  (answer: RestAnswer): void => {
    const { error: _, error_description: __, ...body } = answer.body;
    expectRefused({ ...answer, body }, refusal);
  };

onOneDatabase("Wrong identity tokens (RFC 8725)", (startServer) => {
  let issuer: StandInTokenIssuer;
  let other: StandInTokenIssuer;
  before("start two issuers", async () => {
    [issuer, other] = [await StandInTokenIssuer.start(), await StandInTokenIssuer.start()];
  });
  const server = serverOfThisFile(async () => {
    const started = await startServer({ args: ["--allow-private-targets"] });
    await admittedIdentity(started.rest, issuer);
    return started;
  });

  /** Tokens that nobody may get in with, and what the audit log says that they lack. */
  function wrongTokens(): Record<string, [string, string]> {
    const good = issuer.token();
    const [head, claims, signature = ""] = good.split(".") as [string, string, string];
    const attackers = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const weak = generateKeyPairSync("rsa", { modulusLength: 1024 });
    const bare = (header: object) => `${encode({ typ: "JWT", kid: "rsa", ...header })}.${claims}`;
    const hmac = (secret: string | Buffer) => {
      const text = bare({ alg: "HS256" });
      return `${text}.${createHmac("sha256", secret).update(text).digest("base64url")}`;
    };
    const brought = { jwk: attackers.publicKey.export({ format: "jwk" }) };
    const by = (header: object) => issuer.token({}, header, attackers.privateKey);
    return {
      "no algorithm (none)": [`${bare({ alg: "none" })}.`, "alg"],
      "no algorithm (nOnE) and a signature": [`${bare({ alg: "nOnE" })}.${signature}`, "alg"],
      "the public key as the secret of HS256, as PEM": [
        hmac(issuer.publicKey.export({ format: "pem", type: "spki" })),
        "alg",
      ],
      "the public key as the secret of HS256, as DER": [
        hmac(issuer.publicKey.export({ format: "der", type: "spki" })),
        "alg",
      ],
      "an algorithm of another kind of key": [issuer.token({}, { alg: "ES256" }), "kid"],
      "an algorithm that no list has": [issuer.token({}, { alg: "RS1" }), "alg"],
      "another's signature": [by({}), "signature"],
      "another's signature and the key id of a third": [issuer.token({}, { kid: "nobody" }), "kid"],
      "the key id of another key of its issuer": [issuer.token({}, { kid: "ed" }), "kid"],
      "a key id that is a path": [by({ kid: "../../jwks" }), "kid"],
      "a key id that is a statement": [by({ kid: "' or 1=1 --" }), "kid"],
      "a weak key that it brings along": [issuer.token({}, {}, weak.privateKey), "signature"],
      "a key that it brings along (jwk)": [by(brought), "signature"],
      "the address of a key (jku)": [by({ jku: `${other.url}/jwks` }), "signature"],
      "the address of a certificate (x5u)": [by({ x5u: `${other.url}/jwks` }), "signature"],
      "a header that must be understood (crit)": [issuer.token({}, { crit: ["exp"], exp: 1 }), "header"],
      "a body that is not encoded (b64)": [issuer.token({}, { crit: ["b64"], b64: false }), "header"],
      "another type of token (at+jwt)": [issuer.token({}, { typ: "at+jwt" }), "typ"],
      "another type of token (logout+jwt)": [issuer.token({}, { typ: "logout+jwt" }), "typ"],
      "a type that is a list": [issuer.token({}, { typ: ["JWT"] }), "typ"],
      "claims changed afterwards": [
        `${head}.${encode(issuer.claims({ admin: true }))}.${signature}`,
        "signature",
      ],
      "no signature": [`${head}.${claims}.`, "signature"],
      "half a signature": [`${head}.${claims}.${signature.slice(0, 100)}`, "signature"],
      "no end": [issuer.token({ exp: undefined }), "exp"],
      "an end that is a text": [issuer.token({ exp: "9999999999" }), "exp"],
      "an end in the past": [issuer.token({ exp: secondsFromNow(-120) }), "exp"],
      "a begin in the future": [issuer.token({ nbf: secondsFromNow(120) }), "nbf"],
      "no audience": [issuer.token({ aud: undefined }), "aud"],
      "another audience": [issuer.token({ aud: "https://other.example.com" }), "aud"],
      "another audience, by two slashes": [issuer.token({ aud: `${AUDIENCE}//` }), "aud"],
      "an audience inside of a list in a list": [issuer.token({ aud: [[AUDIENCE]] }), "aud"],
      "another subject": [issuer.token({ sub: `${SUBJECT}x` }), "sub"],
      "a subject in capitals": [issuer.token({ sub: SUBJECT.toUpperCase() }), "sub"],
      "an issuer that is not known": [other.token(), "iss"],
      "another issuer's signature": [other.token({ iss: issuer.url }), "signature"],
      "an issuer by a slash": [issuer.token({ iss: `${issuer.url}/` }), "iss"],
      "a list of issuers": [issuer.token({ iss: [issuer.url] }), "iss"],
      "no issuer": [issuer.token({ iss: undefined }), "iss"],
    };
  }

  it("are refused, all in the same words, and the audit log names what is wrong", async () => {
    const asked = other.asked.length;
    const found: Record<string, string> = {};
    const wrong = wrongTokens();
    const { refused } = await refusedBeside({
      refused: Object.entries(wrong).map(([what, [token]]) => async () => {
        const answer = await exchange(server.url, token);
        expect(answer.status, `${what}: ${answer.text}`).to.equal(401);
        const [row] = (await server.read("/audit_events?limit=1")).audit_events;
        expect(row.operation_id).to.equal(answer.body.details.operation_id);
        found[what] = row.changed.join();
        return answer;
      }),
      as: no(refusedToken),
      allowed: () => exchange(server.url, issuer.token()),
    });
    expect(new Set(refused.map(({ body }) => body.msg))).to.have.property("size", 1);
    const named = Object.fromEntries(Object.entries(wrong).map(([what, [, lacking]]) => [what, lacking]));
    expect(found).to.deep.equal(named);
    expect(other.asked.length, "nobody reads keys from where a token says").to.equal(asked);
  });

  it("with a signature that is almost right are refused", async () => {
    const good = { ec: issuer.ecToken(), ed: issuer.edToken(), rsa: issuer.token() };
    const bytes = Object.fromEntries(
      Object.entries(good).map(([name, one]) => [name, Buffer.from(one.split(".")[2] ?? "", "base64url")]),
    ) as Record<keyof typeof good, Buffer>;
    const [r, s] = [bytes.ec.subarray(0, 32), bytes.ec.subarray(32)];
    const zero = Buffer.alloc(32);
    const one = Buffer.concat([Buffer.alloc(31), Buffer.of(1)]);
    const modulus = Buffer.from(present(issuer.publicKey.export({ format: "jwk" }).n), "base64url");
    const forged: [keyof typeof good, string, Buffer][] = [
      ["ec", "zeros", Buffer.concat([zero, zero])],
      ["ec", "r of zero", Buffer.concat([zero, s])],
      ["ec", "s of zero", Buffer.concat([r, zero])],
      ["ec", "ones", Buffer.concat([one, one])],
      ["ec", "the order of the curve", Buffer.concat([ORDER_P256, ORDER_P256])],
      ["ec", "r beyond the order", Buffer.concat([r, ORDER_P256])],
      ["ec", "both in the other order", Buffer.concat([s, r])],
      ["ec", "the form of X.509", derOf(r, s)],
      ["ec", "a byte more", Buffer.concat([bytes.ec, Buffer.of(0)])],
      ["ec", "a byte less", bytes.ec.subarray(0, 63)],
      ["ec", "nothing", Buffer.alloc(0)],
      ["ed", "zeros", Buffer.alloc(64)],
      [
        "ed",
        "s beyond the order",
        Buffer.concat([bytes.ed.subarray(0, 32), plusOrder(bytes.ed.subarray(32))]),
      ],
      ["ed", "a byte more", Buffer.concat([bytes.ed, Buffer.of(0)])],
      ["rsa", "zero", Buffer.alloc(256)],
      ["rsa", "one", Buffer.concat([Buffer.alloc(255), Buffer.of(1)])],
      ["rsa", "the modulus", modulus],
      ["rsa", "a byte more", Buffer.concat([Buffer.of(0), bytes.rsa])],
    ];
    for (const [name, what, signature] of forged) {
      const text = good[name].slice(0, good[name].lastIndexOf(".") + 1) + signature.toString("base64url");
      await refusedBeside({
        refused: () => exchange(server.url, text),
        as: ({ status }) => expect(status, `${name}: ${what}`).to.equal(401),
        allowed: () => exchange(server.url, good[name]),
      });
    }
  });

  it("do not keep right ones out: other algorithms, lists of audiences, clocks a minute apart", async () => {
    for (const right of [
      issuer.token(),
      issuer.edToken(),
      issuer.token({ aud: ["x", AUDIENCE] }),
      issuer.token({ exp: secondsFromNow(-30) }),
      issuer.token({ nbf: secondsFromNow(30) }),
      issuer.token({ aud: `${AUDIENCE}/` }),
      issuer.token({}, { typ: "application/jwt" }),
      issuer.token({}, { typ: undefined }),
      issuer.token({}, { jku: "https://evil.example.com" }),
    ])
      expect((await exchange(server.url, right)).status).to.equal(200);
  });
});

onOneDatabase("A token that names none of its issuer's keys", (start) => {
  const server = serverOfThisFile(() => start({ args: ["--allow-private-targets"] }));

  it("is taken if one of the first four signed it, and refused if none did", async () => {
    const issuer = await StandInTokenIssuer.start();
    const strangers = Array.from({ length: 4 }, () => generateKeyPairSync("rsa", { modulusLength: 2048 }));
    const jwk = (key: KeyObject) => key.export({ format: "jwk" });
    const [one, ...others] = strangers.map(({ publicKey }) => jwk(publicKey));
    const token = issuer.token({}, { kid: undefined });
    const published = (...keys: object[]) => issuer.instead.set("/jwks", JSON.stringify({ keys }));
    published(one as object, jwk(issuer.publicKey));
    await admittedIdentity(server.rest, issuer);
    const forged = issuer.token({}, { kid: undefined }, strangers[1]?.privateKey);
    const fifth = await StandInTokenIssuer.start();
    fifth.instead.set("/jwks", JSON.stringify({ keys: [one, ...others, jwk(fifth.publicKey)] }));
    await admittedIdentity(server.rest, fifth);
    await refusedBeside({
      refused: [forged, fifth.token({}, { kid: undefined })].map((bad) => () => exchange(server.url, bad)),
      as: no(refusedToken),
      allowed: () => exchange(server.url, token),
    });
  });
});

onOneDatabase("The exchange of identity tokens", (startServer) => {
  const start = untilTestEnds(startServer);
  let issuer: StandInTokenIssuer;
  beforeEach("start an issuer", async () => {
    issuer = await StandInTokenIssuer.start();
  });
  afterEach("stop it", () => issuer.stop());

  it("slows down an address that guesses or exchanges too much; its valid keys still work", async () => {
    const server = await start({ args: ["--allow-private-targets", "--trust-proxy", "loopback"] });
    await admittedIdentity(server.rest, issuer);
    const from = (address: string, claims?: object) =>
      exchange(server.url, issuer.token(claims), {}, { "x-forwarded-for": address });
    for (let slip = 0; slip < SLIPS; slip++)
      no(refusedToken)(await from("192.0.2.1", { sub: `guess ${slip}` }));
    for (let count = 0; count < EXCHANGES; count++) expect((await from("192.0.2.2")).status).to.equal(200);
    const rest = server.rest;
    const { refused } = await refusedBeside({
      refused: [() => from("192.0.2.1"), () => from("192.0.2.2")],
      as: no(limited),
      allowed: () => rest.get("/ip_policies", { "x-forwarded-for": "192.0.2.1" }),
    });
    expect(refused[0]?.headers.get("retry-after")).to.match(/^[1-9]\d*$/);
  });

  it("goes on, and so does all else, while issuers hang, lie, or send too much", async () => {
    const server = await start({ args: ["--allow-private-targets"] });
    const admin = server.rest;
    const others = await Promise.all(Array.from({ length: 5 }, () => StandInTokenIssuer.start()));
    const [hanging, lying, huge, redirecting, away] = others as [
      ...[StandInTokenIssuer, StandInTokenIssuer, StandInTokenIssuer, StandInTokenIssuer, StandInTokenIssuer],
    ];
    for (const one of [issuer, ...others]) await admittedIdentity(admin, one);
    hanging.instead.set("/.well-known/openid-configuration", undefined);
    lying.calledItself = issuer.url;
    huge.instead.set("/jwks", `{"keys":[${"0,".repeat(1_000_000)}0]}`);
    redirecting.instead.set("/jwks", "no JSON");
    away.stop();
    const waiting = Array.from({ length: 12 }, () => exchange(server.url, hanging.token()));
    await refusedBeside({
      refused: [lying, huge, redirecting, away].map((one) => () => exchange(server.url, one.token())),
      as: no(unavailable),
      allowed: () => exchange(server.url, issuer.token()),
    });
    expect((await admin.get("/ip_policies")).status).to.equal(200);
    for (const answer of await Promise.all(waiting)) expect(answer.status, answer.text).to.equal(503);
    expect(hanging.asked).to.have.lengthOf(1);
  });

  it("reads no keys off the internet unless an operator allows it", async () => {
    const { rest: admin } = await start();
    const bot = (await admin.post("/bot_users", { name: "pipeline" })).body.id;
    const identity = { audiences: ["x"], claims: { sub: SUBJECT } };
    const admit = (url: string) => () =>
      admin.post("/workload_identities", { ...identity, issuer: url, bot_user_id: bot });
    await refusedBeside({
      refused: [
        ...[issuer.url, "http://id.example.com", "https://127.0.0.1", "https://169.254.169.254"],
        ...["https://[::1]:8443", "https://localhost"],
      ].map(admit),
      as: invalid("issuer", "--allow-private-targets"),
      allowed: admit("https://id.example.com"),
    });
    expect(issuer.asked).to.deep.equal([]);
  });
});
