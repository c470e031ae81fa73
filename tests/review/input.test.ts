import { expect } from "chai";
import { World } from "../support/provider";
import { Folder, previewOf, runReview, tlsEdge } from "./support";

const HOW = "pulumi preview --json --show-sames > preview.json";
const CANARY = "canary-of-a-secret";

describe("what `review` is given", () => {
  const folder = new Folder();
  const world = new World();
  after(() => world.close());
  after(() => folder.dispose());

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
    [
      "a preview that failed",
      JSON.stringify({
        steps: [],
        diagnostics: [
          {
            urn: "urn:pulumi:dev::p::pulumi-nodejs:dynamic/tunnelplane:TlsEdge::app",
            message: CANARY,
            severity: "error",
          },
        ],
      }),
      /a preview that failed \(1 error, at app\)/,
    ],
  ];

  it("is refused in one line that says what was read, what was expected and how to make it", async () => {
    for (const [what, content, said] of refused) {
      const { code, stdout, stderr } = await runReview([folder.write("preview.json", content)]);
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

  it("is refused when there is no such file, no server, or an unknown key", async () => {
    const file = folder.write("preview.json", previewOf([]));
    const { url } = await world.server();
    const lines: [Promise<{ code: number | null; stderr: string }>, RegExp][] = [
      [runReview([`${file}.missing`]), /cannot be read: there is no such file/],
      [runReview([file, "--url", "http://127.0.0.1:9", "--api-key", "k"]), /is the server running\?.*--url/],
      [runReview([file, "--url", "http://127.0.0.1:9"]), /There is no API key/],
      [
        runReview([file], { env: { TUNNELPLANE_BASE_URL: url, TUNNELPLANE_API_KEY: CANARY } }),
        /refused the API key from TUNNELPLANE_API_KEY/,
      ],
      [
        runReview([file, "--baseline", file]),
        /is no report; expected the output of: tunnelplane-pulumi review --format json/,
      ],
      [
        runReview([file, "--baseline", `${file}.missing`]),
        /missing cannot be read: there is no such file; .*review --format json/,
      ],
      [
        runReview([file, "--events", `${file}.missing`]),
        /missing cannot be read: there is no such file; .*--event-log/,
      ],
      [runReview([file, "--events", file]), /is no event; expected the engine's event log/],
    ];
    for (const [ended, said] of lines) {
      const { code, stderr } = await ended;
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
