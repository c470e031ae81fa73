import { apiOnOneDatabase, hostport, unique } from "../support/api/expect";
import { declared, operationsIn, ref, SetInTest } from "./support";

apiOnOneDatabase("What is told of change sets", (server) => {
  it("is an example in the documentation that the server takes", async () => {
    const { body } = await server.rest.get("/openapi.json");
    const { example } = body.paths["/changesets"].post.requestBody.content["application/json"];
    const answer = await server.rest.post("/changesets", example);
    expect(answer.status, answer.text).to.equal(200);
    expect(operationsIn(answer)).to.deep.equal(["create tls_edge/app", "create tunnel_group_backend/web"]);
  });

  it("names new objects by kind and key in the findings of a plan, and by no id", async () => {
    const objects = [
      declared("tls_edge", "app", {
        hostports: [hostport()],
        backend: { backend_id: ref("static_backend/web") },
      }),
      declared("static_backend", "web", { address: "10.0.0.1:80" }),
    ];
    const set = unique("set");
    const plan = () => server.rest.post("/changesets?dry_run=true&findings=true", { set, objects });
    const { body } = await plan();
    expect(body.findings).not.to.be.empty;
    for (const { cause } of body.findings)
      expect(cause).to.include({ id: null, urn: `${cause.kind}/${cause.name}` });
    expect(JSON.stringify([body.operations, body.findings])).not.to.match(/\b[a-z]+_[0-9A-Za-z]{27}\b/);
    await new SetInTest(server.rest, set).apply(objects);
    objects[0] = declared("tls_edge", "app", {
      hostports: [hostport()],
      backend: { backend_id: ref("static_backend/web") },
    });
    const ids = Object.values(await new SetInTest(server.rest, set).ids());
    for (const { cause } of (await plan()).body.findings) expect(cause.id).to.be.oneOf(ids);
  });
});
