import { expect } from "chai";
import { hostport, serverOfThisFile } from "../../support/api/expect";
import { certificate } from "../../support/api/fixtures";
import { execute, onEveryDatabase } from "../../support/databases";

onEveryDatabase("An object that was stored before a rule existed", (start) => {
  let data = "";
  const server = serverOfThisFile(async (options) => {
    const process = await start(options);
    data = process.data;
    return process;
  });

  /** Changes an object directly in the database, as if it had been stored before such rules existed. */
  const store = async (id: string, from: string, to: string): Promise<void> => {
    await execute(
      data,
      `update resource set document = replace(document, '${from}', '${to}') where id = '${id}';`,
    );
  };

  it("is answered as it is, and can be changed in all other fields", async () => {
    const edge = await server.created("/edges/tls", {
      hostports: [hostport()],
      mutual_tls: { enabled: false, certificate_authority_ids: [] },
      policies: { inbound: [{ expressions: ["true"], actions: [{ type: "deny" }] }] },
    });
    await store(edge.id, '"mutual_tls":{"enabled":false', '"mutual_tls":{"enabled":true');
    await store(edge.id, '"expressions":["true"]', '"expressions":["is no && CEL"]');
    const before = await server.read(edge.uri);
    expect(before.mutual_tls).to.deep.equal({ enabled: true, certificate_authorities: [] });
    const changed = await server.rest.patch(edge.uri, { description: "new" });
    expect(changed.body).to.deep.equal({ ...before, description: "new" });
  });

  it("keeps the facts that were read from its certificate", async () => {
    const { pem } = certificate({ name: "Old Root" });
    const ca = await server.created("/certificate_authorities", { ca_pem: pem });
    const [line = ""] = pem.split("\n").slice(1);
    await store(ca.id, line, `AAAA${line.slice(4)}`);
    const changed = await server.rest.patch(ca.uri, { description: "new" });
    expect(changed.status, changed.text).to.equal(200);
    expect(changed.body).to.include({
      subject_common_name: "Old Root",
      description: "new",
      not_after: ca.not_after,
    });
  });
});
