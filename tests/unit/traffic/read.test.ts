import { MAX_LINE_LENGTH, readTraffic, type TrafficLine } from "@tunnelplane/sdk/traffic";
import { trafficLine } from "./lines";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const readAll = async (...chunks: Uint8Array[]) => {
  const read: unknown[] = [];
  for await (const entry of readTraffic(chunks)) read.push(entry);
  return read;
};
const LINE = trafficLine({ path: "/größe/…" });
const OTHER = { hour: LINE.hour, count: 12, other: true };
const damagedBy = async (fields: Partial<Record<keyof TrafficLine, unknown>>) =>
  (await readAll(bytes(JSON.stringify({ ...LINE, ...fields }))))[0];

describe("Recorded traffic", () => {
  it("is read line by line, however its bytes arrive", async () => {
    const text = bytes(`${JSON.stringify(LINE)}\r\n\n${JSON.stringify(OTHER)}`);
    const expected = [LINE, OTHER];
    expect(await readAll(text)).to.deep.equal(expected);
    expect(await readAll(...Array.from(text, (byte) => Uint8Array.of(byte)))).to.deep.equal(expected);
    expect(await readAll()).to.deep.equal([]);
  });

  it("is read around lines that are damaged, and says what is wrong with each", async () => {
    const text = [
      ...[JSON.stringify(LINE).slice(0, 40), JSON.stringify(LINE), "[]"],
      ...["x".repeat(MAX_LINE_LENGTH + 1), JSON.stringify({ other: true }), JSON.stringify(OTHER)],
    ].join("\n");
    expect(await readAll(bytes(text), Uint8Array.of(10, 0xff, 0xfe, 10))).to.deep.equal([
      { damaged: 1, reason: "is not JSON" },
      LINE,
      { damaged: 3, reason: "is not a JSON object" },
      { damaged: 4, reason: "is longer than 65536 bytes" },
      { damaged: 5, reason: "has no hour, or one of another form" },
      OTHER,
      { damaged: 7, reason: "is not in UTF-8" },
    ]);
  });

  it("may have fields that a newer gateway adds", async () => {
    const line = { ...LINE, later: 1 };
    expect(await readAll(bytes(JSON.stringify(line)))).to.deep.equal([line]);
  });

  for (const [field, value] of Object.entries({
    ...{ hour: "2026-11-22 14:00", count: 0, address: null, host: 1, path: undefined },
    ...{ from: "198.51.100", client_certificate: { subject: "Ours" }, token: "Bearer abc" },
    ...{ session: "abc", user_agent: ["curl"], tls: "1.1", status: "200" },
  }))
    it(`has no line whose ${field} has another form`, async () => {
      expect(await damagedBy({ [field]: value })).to.deep.equal({
        damaged: 1,
        reason: `has no ${field}, or one of another form`,
      });
    });
});
