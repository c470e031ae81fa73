import { type AddressInfo, createServer } from "node:net";
import { expect } from "chai";
import { envoyOfThisFile } from "./traffic";
import { enabled, fixed, inbound, policy, refs, rule, tlsEdge, to } from "./worlds";

describe("A backend that speaks first, as databases and mail servers do,", () => {
  const gateway = envoyOfThisFile();
  const server = createServer((socket) => socket.on("error", () => undefined).write("secret banner\n"));
  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  });
  after(() => server.close());

  /** The first bytes that a caller gets who says nothing, over TLS. */
  const heard = async (): Promise<string> => {
    const socket = await gateway.tls({ sni: "db.example.com" }).catch(() => undefined);
    if (!socket) return "";
    return new Promise((resolve) => {
      socket.once("data", (data) => resolve(String(data)));
      socket.once("close", () => resolve(""));
      setTimeout(() => resolve("nothing"), 3000);
    });
  };

  const edge = (fields: object) =>
    gateway.serve([
      tlsEdge({ backend: to("up"), ...fields }),
      fixed("up", `127.0.0.1:${(server.address() as AddressInfo).port}`),
      rule("p", "allow", "10.0.0.0/8"),
    ]);

  it("says nothing to a caller whose network is refused", async () => {
    await edge({ ip_restriction: enabled({ ip_policies: refs("p") }) });
    expect(await heard()).to.equal("");
  });

  it("says nothing to a caller whom a policy denies", async () => {
    await edge({ policies: inbound(policy(['conn.client_ip.inCidrRange("127.0.0.0/8")'], ["deny"])) });
    expect(await heard()).to.equal("");
  });

  it("says it to all others", async () => {
    await edge({});
    expect(await heard()).to.equal("secret banner\n");
  });
});
