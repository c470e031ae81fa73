import { certificateFor } from "../../../gateway/src/envoy/certificates";

const NOW = Date.parse("2026-11-24T12:00:00Z");
const HOUR_MS = 3_600_000;

/** A certificate of some names that began an hour ago; ends so many hours from now. */
const certificate = (chain: string, names: readonly string[], hours: number, since = -1) => ({
  chain,
  key: "",
  names,
  notBefore: NOW + since * HOUR_MS,
  notAfter: NOW + hours * HOUR_MS,
});
const served = (host: string, ...certificates: ReturnType<typeof certificate>[]): string => {
  const found = certificateFor(host, certificates, NOW);
  return typeof found === "string" ? found : found.chain;
};

describe("The certificate that a gateway serves for a name", () => {
  const wildcard = certificate("wildcard", ["*.example.com"], 100);
  const early = certificate("early", ["app.example.com"], 1);
  const late = certificate("late", ["www.example.com", "app.example.com"], 2);

  it("is the one that names it, before a wildcard, and of several the one that ends last", () => {
    expect(served("app.example.com", wildcard, early, late)).to.equal("late");
    expect(served("app.example.com", late, early)).to.equal("late");
    expect(served("other.example.com", wildcard, late)).to.equal("wildcard");
    expect(served("*.example.com", wildcard, late)).to.equal("wildcard");
  });

  it("is another one once it has ended, or before it begins", () => {
    const ended = certificate("ended", ["app.example.com"], -0.5);
    const future = certificate("future", ["app.example.com"], 50, 1);
    expect(served("app.example.com", ended, future, early)).to.equal("early");
    expect(served("app.example.com", ended, future, wildcard)).to.equal("wildcard");
  });

  it("is none with a fault, which is the reason where no other is for the name", () => {
    const faulty = { ...certificate("faulty", ["app.example.com"], 100), fault: "its key is another's" };
    expect(served("app.example.com", faulty, early)).to.equal("early");
    expect(served("app.example.com", faulty, wildcard)).to.equal("wildcard");
    expect(served("app.example.com", faulty)).to.equal("its key is another's");
  });

  it("is none, with the reason, where none covers the name or all have ended", () => {
    expect(served("deep.app.example.com", wildcard)).to.match(/^no certificate names deep\.app/);
    const ended = certificate("ended", ["app.example.com"], -0.5);
    expect(served("app.example.com", ended)).to.match(/ended at 2026-11-24T11:30/);
    expect(served("app.example.com", certificate("future", ["app.example.com"], 50, 1))).to.match(
      /is not valid before/,
    );
  });
});
