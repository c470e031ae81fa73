import { definitionOf, validateCreate } from "@tunnelplane/sdk/contract";
import { expect } from "chai";
import { readArn } from "../../../sdk/src/contract/formats/arn";
import { cidrKey, mistakeInCidr } from "../../../sdk/src/contract/formats/cidr";
import { isAddress, isDomain, isPort } from "../../../sdk/src/contract/formats/host";
import { durationSeconds, secondsOf, timestampOf } from "../../../sdk/src/contract/formats/time";

describe("A domain name", () => {
  for (const name of [
    "example.com",
    "a.b.c.example.com",
    "xn--bcher-kva.example",
    "EXAMPLE.com",
    "a1-b2.example",
  ])
    it(`may be ${name}`, () => expect(isDomain(name)).to.equal(true));

  for (const name of [
    "",
    ".",
    "example.com.",
    "-a.example",
    "a-.example",
    "a..example",
    "192.0.2.1",
    "a_b.example",
    "*.example.com",
    "a b.example",
    `${"a".repeat(64)}.example`,
  ])
    it(`may not be ${JSON.stringify(name)}`, () => expect(isDomain(name)).to.equal(false));

  it("begins with a wildcard only if that is allowed", () => {
    expect(isDomain("*.example.com", { wildcard: true })).to.equal(true);
    expect(isDomain("a.*.example.com", { wildcard: true })).to.equal(false);
  });

  it("has at most 253 characters", () => {
    const labels = (length: number) => Array.from({ length }, () => "a").join(".");
    expect(isDomain(labels(127))).to.equal(true);
    expect(isDomain(labels(128))).to.equal(false);
  });
});

describe("A port", () => {
  it("goes from 1 to 65535, without leading zeros", () => {
    expect(["1", "443", "65535"].every(isPort)).to.equal(true);
    expect(["0", "65536", "0443", "-1", "", "4e2", "443 "].some(isPort)).to.equal(false);
  });
});

describe("An address", () => {
  it("names a host and a port", () => {
    expect(["example.com:443", "192.0.2.1:80", "[2001:db8::1]:80"].every((text) => isAddress(text))).to.equal(
      true,
    );
    expect(
      ["example.com", ":80", "[2001:db8::1]", "2001:db8::1:80", "192.0.2.300:80"].some((text) =>
        isAddress(text),
      ),
    ).to.equal(false);
  });
});

describe("A network in CIDR notation", () => {
  for (const network of [
    "0.0.0.0/0",
    "192.0.2.0/24",
    "192.0.2.1/32",
    "::/0",
    "2001:db8::/32",
    "2001:DB8::/32",
  ])
    it(`may be ${network}`, () => expect(mistakeInCidr(network)).to.equal(undefined));

  for (const [network, words] of [
    ["192.0.2.1", "/32"],
    ["2001:db8::1", "/128"],
    ["192.0.2.1/24", "192.0.2.0/24"],
    ["192.0.2.0/33", "/0 to /32"],
    ["192.0.2.0/08", "/0 to /32"],
    ["fe80::1%eth0/64", "CIDR notation"],
    ["example.com/24", "CIDR notation"],
    ["192.0.2.0/24/24", "CIDR notation"],
  ] as const)
    it(`may not be ${network}, and the error says how to fix it`, () =>
      expect(mistakeInCidr(network)).to.contain(words));

  it("is equal to the same network in another notation", () => {
    expect(cidrKey("2001:DB8:0::/32")).to.equal(cidrKey("2001:db8::/32"));
    expect(cidrKey("192.0.2.0/24")).to.not.equal(cidrKey("192.0.2.0/25"));
  });
});

describe("A length of time", () => {
  it("adds up days, hours, minutes and seconds", () => {
    expect(durationSeconds("8h")).to.equal(28_800);
    expect(durationSeconds("1d12h30m5s")).to.equal(131_405);
  });
});

describe("A timestamp", () => {
  it("counts in whole seconds, whatever its offset", () => {
    expect(secondsOf("2027-01-31T09:00:00.999+01:00")).to.equal(secondsOf("2027-01-31T08:00:00Z"));
    expect(timestampOf(secondsOf("2027-01-31T08:00:00Z"))).to.equal("2027-01-31T08:00:00Z");
  });
});

describe("An Amazon Resource Name", () => {
  it("contains region, account and name", () => {
    expect(readArn("stream", "arn:aws:kinesis:eu-central-1:123456789012:stream/tunnels")).to.deep.equal({
      region: "eu-central-1",
      account: "123456789012",
      name: "tunnels",
    });
  });

  it("has no region that could lead to another host", () => {
    for (const region of ["eu-central-1.evil.example/", "evil.example", "", "eu-central-1#"])
      expect(readArn("stream", `arn:aws:kinesis:${region}:123456789012:stream/tunnels`)).to.equal(undefined);
  });
});

describe("An ACL rule", () => {
  const faults = (...acl: string[]) =>
    validateCreate(definitionOf("tunnel_credential"), { acl }).problems.map(({ path }) => path.join("."));

  it("binds a domain, a wildcard, an address, a label, or everything", () => {
    expect(
      faults(
        "bind:example.com",
        "bind:*.example.com",
        "bind:example.com:443",
        "bind:env=prod",
        "bind:*=prod",
        "*",
      ),
    ).to.deep.equal([]);
  });

  it("is reported by its place in the list if it is invalid", () => {
    expect(
      faults("bind:example.com", "bind:", "listen:example.com", "bind:example.com:0", "bind:a=b=c"),
    ).to.deep.equal(["acl.1", "acl.2", "acl.3", "acl.4"]);
  });
});
