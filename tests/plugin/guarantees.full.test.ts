import { expect } from "chai";
import { worldOfThisFile } from "../support/provider";
import { Plugin, UNKNOWN } from "./plugin";

// tests/provider/guarantees.full.test.ts has what both providers do.
describe("A preview of the native provider", () => {
  const { server } = worldOfThisFile();
  let plugin: Plugin;
  before(async () => {
    plugin = await Plugin.start({
      TUNNELPLANE_BASE_URL: server.url,
      TUNNELPLANE_API_KEY: server.apiKey,
    });
  });
  after(async () => {
    await plugin?.stop();
  });

  it("treats the state of a guarantee as unknown, because any other change may change it", async () => {
    const addresses = ["*.later.example.org:443"];
    const made = await plugin.create("Guarantee", { expect: "refused", addresses });
    const olds = made.getProperties()?.toJavaScript() ?? {};
    expect(olds).to.deep.include({ state: "holds", covered: 0 });
    const news = { expect: "answered", addresses };
    const changed = await plugin.update("Guarantee", made.getId(), olds, news, { preview: true });
    expect(changed.getProperties()?.toJavaScript()).to.deep.include({
      expect: "answered",
      uri: olds.uri,
      state: UNKNOWN,
      covered: UNKNOWN,
    });
  });
});
