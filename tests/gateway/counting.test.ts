import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { OtherTraffic, TrafficLine } from "@tunnelplane/sdk/traffic";
import { objectsOf } from "../../gateway/dist/envoy/model";
import { callerOf, hostOf, pathOf } from "../../gateway/dist/traffic/abbreviated";
import { commonName, Declared } from "../../gateway/dist/traffic/declared";
import { TrafficFiles } from "../../gateway/dist/traffic/files";
import { Hour } from "../../gateway/dist/traffic/hour";
import { lineOf } from "../../gateway/dist/traffic/line";
import { bodiesIn, textsIn } from "../../gateway/dist/traffic/reports";
import { newFolder } from "../support/folder";
import { trafficLine } from "../unit/traffic/lines";

const BEGIN = "2026-11-22T14:00:00Z";
const isOther = (line: TrafficLine | OtherTraffic): line is OtherTraffic => "other" in line;
const linesOf = (hour: Hour) => [...hour.lines()].map((text): TrafficLine | OtherTraffic => JSON.parse(text));

function count(hour: Hour, requests: number, status: number, prefix = "/"): void {
  for (let index = 0; index < requests; index++) {
    const line = trafficLine({ path: `${prefix}${index}`, status });
    hour.counter({ line, isLetIn: status < 400 }).count++;
  }
}

describe("Recorded traffic is bounded", () => {
  it("to 10,000 different lines an hour; the requests beyond are counted together", () => {
    const hour = new Hour(BEGIN);
    count(hour, 10_001, 200);
    count(hour, 10_001, 200);
    const lines = linesOf(hour);
    expect(lines).to.have.length(10_001);
    expect(lines.at(-1)).to.deep.equal({ hour: BEGIN, count: 2, other: true });
    expect(lines[0]).to.include({ hour: BEGIN, count: 2, path: "/0" });
  });

  it("to 2,000 of them for unanswered requests, so that a caller who tries many paths displaces nobody", () => {
    const hour = new Hour(BEGIN);
    count(hour, 9_000, 404, "/tried/");
    count(hour, 8_000, 200);
    const lines = linesOf(hour);
    const of = (status: number) => lines.filter((line) => !isOther(line) && line.status === status);
    expect([of(404).length, of(200).length]).to.deep.equal([2_000, 8_000]);
    expect(lines.at(-1)).to.deep.equal({ hour: BEGIN, count: 7_000, other: true });
  });

  it("in files that a later start goes on with: equal lines are added, damaged ones left out", async () => {
    const files = new TrafficFiles(join(newFolder(), "traffic"));
    const first = new Hour(BEGIN);
    count(first, 3, 200);
    await files.write(first);
    const [name = ""] = readdirSync(files.folder);
    const text = readFileSync(join(files.folder, name), "utf8");
    writeFileSync(join(files.folder, name), `${text}${text}{"hour": "20`);
    const { hour, damaged } = await files.read(BEGIN);
    count(hour, 1, 200);
    expect(damaged).to.equal(1);
    expect(linesOf(hour).map(({ count }) => count)).to.deep.equal([3, 2, 2]);
    expect(files.hoursSince(Date.parse(BEGIN) + 3_600_000)).to.deep.equal([]);
    files.deleteUntil(Date.parse(BEGIN) + 3_599_999);
    expect(files.hoursSince(Date.parse(BEGIN) + 3_599_999)).to.deep.equal([BEGIN]);
    files.deleteUntil(Date.parse(BEGIN) + 3_600_000);
    expect(readdirSync(files.folder)).to.deep.equal([]);
  });

  for (const [path, expected] of Object.entries({
    ...{ "/a/b?token=1": "/a/b", "/a#token": "/a", [`/a/${"x".repeat(32)}/`]: `/a/${"x".repeat(32)}/` },
    ...{ [`/a/${"x".repeat(33)}/b`]: "/a/…/b", [`/${"ab/".repeat(400)}`]: `/${"ab/".repeat(170)}…` },
  }))
    it(`to paths such as ${expected.slice(0, 40)}`, () => {
      expect(pathOf(path)).to.equal(expected);
      expect(pathOf(path).length).to.be.at.most(512);
    });

  for (const [address, expected] of Object.entries({
    ...{ "198.51.100.7": "198.51.100.0/24", "::ffff:198.51.100.7": "198.51.100.0/24" },
    ...{ "2001:db8:1:2:3:4:5:6": "2001:db8:1::/48", "2001:db8::1": "2001:db8::/48", "::1": "::/48" },
    ...{ "fe80::1%eth0": "fe80::/48", nonsense: "unknown" },
  }))
    it(`to the network ${expected} of ${address}`, () => {
      expect(callerOf(address, "network")).to.equal(expected);
    });

  it("to hosts that a request can be for", () => {
    expect(["App.example.com", "[::1]", "me:secret@host", "a b", ""].map(hostOf)).to.deep.equal([
      "app.example.com",
      "[::1]",
      "unknown",
      "unknown",
      "unknown",
    ]);
  });
});

describe("A report of Envoy", () => {
  const field = (number: number, ...parts: Buffer[]): Buffer => {
    const value = Buffer.concat(parts);
    return Buffer.concat([Buffer.from([(number << 3) | 2, ...varint(value.length)]), value]);
  };
  const varint = (value: number): number[] =>
    value < 128 ? [value] : [(value & 127) | 128, ...varint(value >>> 7)];
  const body = (...texts: string[]) => field(5, field(1, Buffer.from(texts.join("\u001f"))));
  const report = (...records: Buffer[]) =>
    field(
      1,
      field(1),
      field(2, ...records.map((record) => field(2, Buffer.from([9, 1, 2, 3, 4, 5, 6, 7, 8]), record))),
    );
  const read = (bytes: Buffer) => bodiesIn(bytes).map(([start, end]) => textsIn(bytes.subarray(start, end)));

  it("is read record by record, of any length", () => {
    const long = "x".repeat(20_000);
    expect(read(report(body("request", "443", long), body("connection", "")))).to.deep.equal([
      ["request", "443", long],
      ["connection", ""],
    ]);
    expect(read(Buffer.alloc(0))).to.deep.equal([]);
  });

  it("is not believed where a text holds a separator, so that no text can forge another", () => {
    const texts = ["request", "443", "app.example.com", ...Array<string>(16).fill("-")];
    const lineFor = (...all: string[]) => lineOf(all, new Declared(objectsOf([])), "network");
    const asked = texts.with(3, "app.example.com").with(4, "GET").with(5, "/").with(6, "192.0.2.1");
    expect(lineFor(...asked)).to.have.nested.property("line.path", "/");
    expect(lineFor(...asked, "RS256")).to.equal("other");
    expect(lineFor(...asked.slice(0, -1))).to.equal("other");
    expect(lineFor("connection", "443", "app.example.com")).to.equal("other");
    expect(lineFor("")).to.equal("other");
  });

  it("is refused where it is cut off or no message", () => {
    const whole = report(body("request"));
    for (let length = 1; length < whole.length; length++)
      expect(() => read(whole.subarray(0, length)), `${length} bytes`).to.throw();
    expect(() => read(Buffer.alloc(20, 0xff))).to.throw("a number does not end");
  });

  for (const [distinguished, expected] of Object.entries({
    ...{ "CN=First\\, Inc.,O=Acme": "First, Inc.", "O=Acme\\,CN=fake,CN=Real+OU=x": "Real" },
    ...{ "CN=M\\C3\\BCller": "Müller", "O=Acme": undefined },
  }))
    it(`names ${expected ?? "nobody"} in ${distinguished}`, () => {
      expect(commonName(distinguished)).to.equal(expected);
    });
});
