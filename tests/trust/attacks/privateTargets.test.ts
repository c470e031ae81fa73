import { isPublic } from "../../../server/src/util/addresses";

/** Addresses of this machine, of private networks or of a cloud's metadata, each in another notation. */
const HIDDEN: Readonly<Record<string, string>> = {
  "Azure's host, in every form":
    "168.63.129.16 ::ffff:168.63.129.16 ::ffff:a83f:8110 0:0:0:0:0:ffff:a83f:8110",
  "wrapped in IPv6":
    "::ffff:127.0.0.1 ::ffff:169.254.169.254 ::ffff:a9fe:a9fe ::127.0.0.1 ::7f00:1 ::a9fe:a9fe",
  "behind NAT64": "64:ff9b::7f00:1 64:ff9b::169.254.169.254 64:ff9b:1::1 64:ff9b:1:ffff::a9fe:a9fe",
  "behind 6to4, Teredo and other tunnels":
    "2002:7f00:1:: 2002:a9fe:a9fe::1 2001::1 2001:0:4136:e378::1 192.88.99.1",
  "translated (RFC 2765)": "::ffff:0:127.0.0.1 ::ffff:0:a9fe:a9fe",
  "of the link": "169.254.169.254 169.254.170.2 fe80::1 fe80::1%eth0 febf::1 fe80::a9fe:a9fe",
  "of private networks": "10.0.0.1 172.31.255.255 192.168.0.1 fc00::1 fd00:ec2::254 fec0::1 feff::1",
  "of a provider's own network": "100.64.0.1 100.100.100.200 100.127.255.255 192.0.0.192 192.0.0.8",
  "of nobody, or of everybody":
    "0.0.0.0 0.1.2.3 :: 255.255.255.255 224.0.0.1 239.255.255.255 ff02::1 ff0e::1",
  "never given to anybody": "240.0.0.1 4000::1 8000::1 5f00::1 100::1 100:0:0:1::1 1::1 3fff::1 2001:db8::1",
  "for tests and examples": "198.18.0.1 192.0.2.1 198.51.100.1 203.0.113.1 2001:2::1 2001:10::1 2001:20::1",
  "of this machine": "127.0.0.1 127.255.255.254 ::1",
  "written in no form of today": "nonsense  1.2.3.4.5 [::1] 2130706433 0x7f.1 0177.0.0.1 127.1",
};
const PUBLIC =
  "1.1.1.1 8.8.8.8 168.63.129.17 ::ffff:8.8.8.8 2606:4700:4700::1111 2a00:1450:4001::1 2400:cb00::1";

describe("An address is not on the internet", () => {
  for (const [name, addresses] of Object.entries(HIDDEN)) {
    it(`that is ${name}`, () => {
      for (const address of addresses.split(" ")) expect(isPublic(address), address).to.equal(false);
    });
  }

  it("unless it is the address of a public host", () => {
    for (const address of PUBLIC.split(" ")) expect(isPublic(address), address).to.equal(true);
  });
});
