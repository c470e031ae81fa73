import { apiOnOneDatabase, hostport } from "../support/api/expect";
import { INHERITED } from "../support/inherited";
import { declared, operationsIn, ref, SetInTest } from "./support";

apiOnOneDatabase("A change set", (server) => {
  it("takes any name for sets, keys, labels and headers, those that objects of JavaScript inherit too", async () => {
    const named = INHERITED.filter((name) => name !== "__proto__"); // no key of a JSON body
    const served = hostport();
    const texts = (value: string) => Object.fromEntries(named.map((name) => [name, value]));
    const objects = (value: string) => [
      declared("https_edge", "valueOf", { hostports: [served] }),
      ...INHERITED.flatMap((key) => [
        declared("tunnel_group_backend", key, { labels: texts(value) }),
        declared("http_response_backend", key, { status_code: 200, headers: texts(value) }),
        declared("https_edge_route", key, {
          edge_id: ref("https_edge/valueOf"),
          match_type: "exact_path",
          match: `/${key}`,
          backend: { backend_id: ref(`tunnel_group_backend/${key}`) },
          request_headers: { add: texts(value) },
          policies: { inbound: [{ actions: [{ type: "log", config: { metadata: texts(value) } }] }] },
        }),
      ]),
    ];
    for (const name of INHERITED) {
      const set = new SetInTest(server.rest, name);
      const made = await set.apply(name === "valueOf" ? objects("a") : []);
      expect(made).to.have.length(name === "valueOf" ? 1 + 3 * INHERITED.length : 0);
    }
    const set = new SetInTest(server.rest, "valueOf");
    expect(await set.apply(objects("a"))).to.deep.equal([]);
    const ids = await set.ids();
    const group = `/backends/tunnel_group/${ids["tunnel_group_backend/constructor"]}`;
    expect((await server.read(group)).labels).to.deep.equal(texts("a"));
    const changed = await set.send(objects("b"));
    expect(changed.status, changed.text).to.equal(200);
    expect(operationsIn(changed)).to.have.length(3 * INHERITED.length);
    expect((await server.read(group)).labels).to.deep.equal(texts("b"));
    const patched = await server.rest.patch(group, { labels: { toString: "c" } });
    expect(patched.body.labels, patched.text).to.deep.equal({ toString: "c" });
  });
});
