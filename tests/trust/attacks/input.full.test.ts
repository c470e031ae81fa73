import type { Refusal } from "../../support/api/expect";
import { hostport, invalid, notJson, serverOfThisFile, unknownField } from "../../support/api/expect";
import { CA, certificate } from "../../support/api/fixtures";
import { onOneDatabase } from "../../support/databases";
import { exchange } from "../../support/rawHttp";
import { refusedBeside } from "../../support/refusal";
import type { RestAnswer } from "../../support/rest";
import { underAttack } from "../../support/underAttack";

const repeated = (text: string, times: number) => text.repeat(times);

onOneDatabase("Input is unambiguous, understood completely and costs little, or it is refused:", (start) => {
  const server = serverOfThisFile(start);
  /** Requests with these values are refused; with the right one, the same request is let in. */
  async function refuses<T>(
    send: (value: T) => Promise<RestAnswer>,
    right: T,
    wrong: readonly (readonly [value: T, refusal: Refusal])[],
  ): Promise<void> {
    for (const [value, refusal] of wrong)
      await refusedBeside({ refused: () => send(value), as: refusal, allowed: () => send(right) });
  }
  const trying = (path: string) => (body: unknown) => server.rest.post(`${path}?dry_run=true`, body);
  const tryingField = (path: string, field: string) => (value: unknown) => trying(path)({ [field]: value });
  const sendBytes = async ([body, type = "application/json"]: readonly [body: Buffer, type?: string]) => {
    const headers = {
      ...{ host: new URL(server.url).host, ...server.headersWithout(), "content-type": type },
      "content-length": body.length,
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const head = Buffer.from(`POST /ip_policies HTTP/1.1\r\n${lines.join("")}\r\n`);
    const answer = await exchange(server.url, Buffer.concat([head, body]));
    if (!answer) throw new Error("The server closed the connection without an answer");
    return answer;
  };

  it("a missing or empty body changes nothing, for any operation", async () => {
    const { uri } = await server.created("/edges/tls", {
      hostports: [hostport()],
      policies: { inbound: [{ actions: [{ type: "deny" }] }] },
    });
    const json = { "content-type": "application/json" };
    const refusal = { ...notJson, mentions: ["missing or empty"] };
    for (const [method, path] of [
      ["PUT", `${uri}/policies?dry_run=true`],
      ["PATCH", uri],
      ["POST", "/ip_policies?dry_run=true"],
    ] as const)
      await refuses(
        (body) =>
          body === "{}"
            ? server.rest.request(method, path, body)
            : server.unchangedBy(uri, () => server.rest.request(method, path, body, json)),
        "{}" as string | undefined,
        [undefined, ""].map((body) => [body, refusal] as const),
      );
  });

  it("invalid UTF-8 and other charsets", async () => {
    const latin = Buffer.from('{"description": "Zürich"}', "latin1");
    const charset = (name: string) => [Buffer.from("{}"), `application/json; charset=${name}`] as const;
    for (const right of ["utf-8", "UTF-8"])
      await refuses(sendBytes, charset(right), [
        [[latin], { ...notJson, mentions: ["UTF-8", "at character 19"] }],
        [charset("latin1"), { ...notJson, mentions: ["latin1"] }],
        [charset("utf-16"), { ...notJson, mentions: ["utf-16"] }],
      ]);
  });

  it("half of a surrogate pair, invalid JSON and forbidden names, each with the place", async () => {
    await refuses<unknown>(trying("/ip_policies"), '{"description": "\\ud83d\\ude87"}', [
      ['{"description": "a\\ud83d"}', invalid("description", "surrogate")],
      ['{"__proto__": {}}', unknownField("__proto__", "__proto__")],
      ...(
        [
          ['{"a": }', 7],
          ['{"a": 1,}', 9],
          ["{'a': 1}", 2],
          ['{"a" 1}', 6],
          ['{"a": 1', 8],
          ['{"a": "b\n"}', 9],
          ["{} x", 4],
          ["   ", 4],
          ['{"a": [1 2]}', 10],
          ['{"a": nul}', 7],
        ] as const
      ).map(([text, place]) => [text, { ...notJson, mentions: [`at character ${place}`] }] as const),
    ]);
    await refuses<unknown>(trying("/backends/tunnel_group"), '{"labels": {"a": "\\ud83d\\ude87"}}', [
      ['{"labels": {"a\\udc00": "b"}}', invalid("labels", "surrogate")],
      ['{"labels": {"__proto__": "x"}}', unknownField("labels.__proto__")],
    ]);
    const metro = await server.created("/ip_policies", '{"description": "\\ud83d\\ude87"}');
    expect(metro.description).to.equal("🚇");
  });

  it("in an update, an empty value that the field does not allow counts as left out", async () => {
    for (const [path, body, change] of [
      ["/backends/tunnel_group", { labels: { app: "shop" } }, { labels: {} }],
      ["/backends/static", { address: "example.com:443" }, { address: "" }],
      [
        "/edges/https/{edge_id}/routes",
        { match_type: "exact_path", match: "/zero" },
        { match: "", match_type: "" },
      ],
    ] as const) {
      const { uri } = await server.created(path, body);
      const changed = await server.rest.patch(uri, { ...change, description: "new" });
      expect(changed.body).to.deep.include({ ...body, description: "new" });
    }
  });

  it("a list that restricts access cannot be empty while it is enabled", async () => {
    const ca = await server.created("/certificate_authorities", { ca_pem: certificate().pem });
    const edge = await server.created("/edges/tls", {
      hostports: [hostport()],
      mutual_tls: { certificate_authority_ids: [ca.id] },
    });
    for (const [module, list] of [
      ["mutual_tls", "certificate_authority_ids"],
      ["ip_restriction", "ip_policy_ids"],
    ] as const) {
      const [open, disabled] = [{ [list]: [] }, { enabled: false, [list]: [] }];
      await refuses<object>((body) => server.rest.patch(edge.uri, { [module]: body }), disabled, [
        [open, invalid(`${module}.${list}`, "empty")],
      ]);
      await refuses<object>((body) => server.rest.put(`${edge.uri}/${module}`, body), disabled, [
        [open, invalid(list, "empty")],
      ]);
    }
  });

  it("a path that cannot be decoded is not found", () =>
    refuses((path) => server.rest.get(path), "/credentials", [
      ["/credentials/%zz", { status: 404, code: "TP_1301", mentions: ["decoded"] }],
    ]));

  it("with any byte of an authority's certificate wrong, the answer is 201 or 400", async () => {
    const { pem } = certificate({
      extensions: [
        ...[CA, "keyUsage = keyCertSign", "extendedKeyUsage = clientAuth"],
        "subjectKeyIdentifier = hash",
      ],
    });
    const der = Buffer.from(pem.replace(/-----.*-----/g, ""), "base64");
    const statuses = new Set<number>();
    const send = async (index: number): Promise<void> => {
      for (const change of [0x01, 0xff]) {
        const changed = Buffer.from(der);
        changed[index] = (changed[index] ?? 0) ^ change;
        const text = `-----BEGIN CERTIFICATE-----\n${changed.toString("base64")}\n-----END CERTIFICATE-----\n`;
        const answer = await tryingField("/certificate_authorities", "ca_pem")(text);
        expect([201, 400], `byte ${index}: ${answer.text}`).to.include(answer.status);
        statuses.add(answer.status);
      }
    };
    for (let index = 0; index < der.length; index += 16)
      await Promise.all(
        Array.from({ length: Math.min(16, der.length - index) }, (_, offset) => send(index + offset)),
      );
    expect(statuses).to.deep.equal(new Set([201, 400]));
  });

  it("a certificate with an extension that cannot be read, even if nothing needs it, or with a thousand of them", async () => {
    const many = Array.from({ length: 1_000 }, (_, index) => `1.2.3.${index + 1} = ASN1:NULL`);
    const withMore = (...extensions: string[]) => certificate({ extensions: [CA, ...extensions] }).pem;
    await underAttack(server, () =>
      refuses(tryingField("/certificate_authorities", "ca_pem"), withMore() as unknown, [
        [withMore("1.2.3.4 = DER:30:05:01"), invalid("ca_pem", "completely")],
        [withMore(...many), invalid("ca_pem", "64")],
      ]),
    );
  });

  it("patterns that are too long, too many or multiply to a large program, before they are compiled", async () => {
    const { uri } = await server.created("/edges/https/{edge_id}/routes", {
      match_type: "exact_path",
      match: "/",
    });
    const filter = (body: object) => server.rest.put(`${uri}/user_agent_filter?dry_run=true`, body);
    const nested = Array(100).fill(repeated("(x{0,100}){0,10}", 63));
    const agents = (count: number) => Array.from({ length: count }, (_, index) => `agent-${index}`);
    await underAttack(server, () =>
      refuses<object>(filter, { allow: agents(60), deny: agents(40) }, [
        [{ allow: nested, deny: nested }, invalid("allow[0]", "512 bytes")],
        [{ allow: [repeated("é", 257)] }, invalid("allow[0]", "512 bytes")],
        [{ allow: agents(60), deny: agents(41) }, invalid("deny", "100")],
        [{ allow: agents(101) }, invalid("allow", "100")],
      ]),
    );
    const large = ["(x{0,1000}){0,10}", "((a{0,30}){0,30}){0,30}", "(a|b|c){1000}", "\\pL{1000}"];
    for (const right of [
      "x{1000}",
      "^(Mozilla|Opera)/\\d{1,3}(\\.\\d+)*",
      "(?i)bot|crawl|spider",
      repeated("a", 512),
    ])
      await refuses(
        (pattern: string) => filter({ deny: [pattern] }),
        right,
        large.map((pattern) => [pattern, invalid("deny[0]", "1024", "multiply")] as const),
      );
    const expressions = Array(30).fill(`${repeated("a && ", 600)}a`);
    const inbound = Array(10).fill({ expressions, actions: [{ type: "deny" }] });
    await underAttack(server, async () => {
      expect((await filter({ allow: Array(100).fill("x{1000}") })).status).to.equal(200);
      const answer = await server.rest.put(`${uri}/policies?dry_run=true`, { inbound });
      expect(answer.status, answer.text.slice(0, 500)).to.equal(200);
    });
  });
});
