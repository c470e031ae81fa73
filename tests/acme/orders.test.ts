import { expect } from "chai";
import { PEBBLE, Pebble } from "../support/pebble";
import { Rest } from "../support/rest";
import { ServerProcess } from "../support/server";

describe("first", function () {
  this.timeout(60000);
  it("works", async () => {
    const pebble = await Pebble.start({ believes: true });
    const server = await ServerProcess.start({ args: pebble.flags });
    const rest = new Rest(server.url, server.apiKey);
    const { body } = await rest.post("/reserved_domains", {
      domain: "app.example.com",
      certificate_management_policy: {},
    });
    for (let i = 0; i < 15; i++) {
      await new Promise((r) => setTimeout(r, 1000));
      const now = (await rest.get(body.uri)).body;
      console.log(JSON.stringify(now.certificate_management_status), now.certificate?.id, now.acme_tls_alpn);
      if (now.certificate) {
        console.log((await rest.get(now.certificate.uri)).body);
        break;
      }
    }
    await server.stop();
    await pebble.stop();
  });
});
