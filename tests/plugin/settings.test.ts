import { failureOf } from "../support/provider";
import { StandInServer } from "../support/standIn";
import { Plugin, secret, UNKNOWN } from "./plugin";

describe("A native provider whose address or key is not known yet", () => {
  const asked: (string | undefined)[] = [];
  let other: StandInServer;
  before(async () => {
    other = await StandInServer.start(({ url }, response) => {
      asked.push(url);
      response.writeHead(500).end();
    });
  });

  for (const [what, settings] of [
    ["address", { baseUrl: UNKNOWN, apiKey: secret("the-key") }],
    ["address, and the key too,", { baseUrl: UNKNOWN, apiKey: secret(UNKNOWN) }],
    ["key", { baseUrl: "http://127.0.0.1:9", apiKey: secret(UNKNOWN) }],
  ] as const) {
    it(`asks no other server in a preview while the ${what} is not known`, async () => {
      // Where requests would go that fall back on other settings.
      const env = {
        TUNNELPLANE_BASE_URL: other.url,
        TUNNELPLANE_API_KEY: "another",
        TUNNELPLANE_VALIDATE_ON_SERVER: "true",
      };
      const plugin = await Plugin.start(env, settings, "elsewhere");
      expect((await plugin.invoke("getIpPolicy", { id: "ipp_x" })).getReturn()?.toJavaScript()).to.deep.equal(
        {},
      );
      expect((await plugin.invoke("getExposure", {})).getReturn()?.toJavaScript()).to.deep.equal({});
      const read = await plugin.read("IpPolicy", "ipp_x", { description: "recorded" });
      expect([read.getId(), read.getProperties()?.toJavaScript()]).to.deep.equal([
        "ipp_x",
        { description: "recorded" },
      ]);
      const made = await plugin.create("IpPolicy", { description: "new" }, { preview: true });
      expect(made.getProperties()?.toJavaScript()).to.include({ description: "new" });
      expect(await failureOf(plugin.create("IpPolicy", {}))).to.contain("is not known yet");
      expect(plugin.logged, "no warning").to.deep.equal([]);
      expect(asked).to.deep.equal([]);
    });
  }
});

describe("A native provider that is configured without a name", () => {
  it("is the default one: its settings are called those of the stack", async () => {
    const plugin = await Plugin.start({}, { baseUrl: "http://127.0.0.1:9", apiKey: secret("the-key") }, "");
    const message = await failureOf(plugin.invoke("getIpPolicy", { id: "ipp_x" }));
    expect(message).to.contain("The address comes from tunnelplane:baseUrl of the stack");
  });
});
