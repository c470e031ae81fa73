import { worldOfThisFile } from "../support/provider";
import { type Ended, Folder, previewOf, runReview, runReviews, tlsEdge } from "./support";

const HOW = "pulumi preview --json --show-sames > preview.json";
const CANARY = "canary-of-a-secret";

describe("the input of `review`", () => {
  const folder = new Folder();
  const { server } = worldOfThisFile();
  const refused: [what: string, content: string | Buffer, said: RegExp][] = [
    ["an empty file", "", /is empty/],
    ["a text", `${CANARY} is not JSON`, /is not JSON/],
    ["JSON that is cut off", `{"steps": [{"op": "${CANARY}`, /is not JSON/],
    [
      "JSON of another tool",
      JSON.stringify({ format_version: "1.2", resource_changes: [{ address: CANARY }] }),
      /other JSON/,
    ],
    ["a list", JSON.stringify([CANARY]), /other JSON/],
    ["steps of something else", JSON.stringify({ steps: [{ name: CANARY }] }), /other JSON/],
    [
      "a stream of engine events",
      `{"sequence":0,"timestamp":1,"preludeEvent":{"config":{}}}\n{"sequence":1,"timestamp":1,"diagnosticEvent":{"message":"${CANARY}"}}\n`,
      /stream of engine events.*PULUMI_ENABLE_STREAMING_JSON_PREVIEW/,
    ],
    [
      "one event",
      `{"sequence":0,"timestamp":1,"diagnosticEvent":{"message":"${CANARY}"}}`,
      /stream of engine events/,
    ],
  ];

  it("is refused in one line that says what was read, what was expected and how to make it", async () => {
    const files = refused.map(([, content], index) => folder.write(`preview.json.${index}`, content));
    const ended = await runReviews(files.map((file) => ({ args: [file] })));
    for (const [index, [what, , said]] of refused.entries()) {
      const { code, stdout, stderr } = ended[index] as Ended;
      expect(code, what).to.equal(1);
      expect(stdout, what).to.equal("");
      expect(stderr.trimEnd().split("\n"), what).to.have.length(1);
      expect(stderr, what)
        .to.match(said)
        .and.to.include(HOW)
        .and.to.include("preview.json")
        .and.not.to.include(CANARY);
    }
  });

  it("is refused with the errors of a preview that failed, and ends in 1", async () => {
    const urn = "urn:pulumi:dev::p::pulumi-nodejs:dynamic/tunnelplane:TlsEdge::app";
    const message =
      "<{%reset%}>hostports must not be empty\n-----BEGIN PRIVATE KEY-----\nkey\n-----END PRIVATE KEY-----<{%reset%}>\n";
    const diagnostics = [
      { urn, message, severity: "error" },
      { message: "update failed", severity: "error" },
      { urn, message: "only a remark", severity: "info" },
    ];
    const file = folder.write("failed.json", JSON.stringify({ steps: [], diagnostics }));
    const { code, stdout, stderr } = await runReview([file]);
    expect([code, stdout]).to.deep.equal([1, ""]);
    expect(stderr).to.match(
      /a preview that failed \(2 errors, at app\): fix what it says, then preview again/,
    );
    expect(stderr.trimEnd().split("\n").slice(1)).to.deep.equal([
      "  app: hostports must not be empty",
      "  (PEM)",
      "  update failed",
    ]);
  });

  it("is refused when there is no such file, no server, or an unknown key", async () => {
    const file = folder.write("preview.json", previewOf([]));
    const { url } = server;
    const lines: [args: string[], said: RegExp, env?: Record<string, string>][] = [
      [[`${file}.missing`], /cannot be read: there is no such file/],
      [[file, "--url", "http://127.0.0.1:9", "--api-key", "k"], /is the server running\?.*--url/],
      [[file, "--url", "http://127.0.0.1:9"], /There is no API key/],
      [
        [file],
        /refused the API key from TUNNELPLANE_API_KEY/,
        { TUNNELPLANE_BASE_URL: url, TUNNELPLANE_API_KEY: CANARY },
      ],
      [
        [file, "--baseline", file],
        /is not a report; expected the output of: tunnelplane-pulumi review --format json/,
      ],
      [
        [file, "--baseline", `${file}.missing`],
        /missing cannot be read: there is no such file; .*review --format json/,
      ],
      [[file, "--events", `${file}.missing`], /missing cannot be read: there is no such file; .*--event-log/],
      [[file, "--events", file], /is not an event; expected the engine's event log/],
    ];
    const ended = await runReviews(lines.map(([args, , env]) => ({ args, ...(env && { env }) })));
    for (const [index, [, said]] of lines.entries()) {
      const { code, stderr } = ended[index] as Ended;
      expect(code, String(said)).to.equal(1);
      expect(stderr.trimEnd().split("\n")).to.have.length(1);
      expect(stderr).to.match(said).and.not.to.include(CANARY);
    }
  });

  it("may come from standard input, and from a shell that writes UTF-16", async () => {
    const preview = previewOf([tlsEdge("app", { before: {}, after: {} })]);
    for (const args of [["-"], []]) expect((await runReview(args, { input: preview })).code).to.equal(0);
    const file = folder.write(
      "utf16.json",
      Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(preview, "utf16le")]),
    );
    expect((await runReview([file])).code).to.equal(0);
  });
});
