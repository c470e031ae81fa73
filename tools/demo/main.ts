import { type Choices, quickstart } from "../../examples/quickstart/program";
import { Engine } from "../../tests/support/engine";
import { Rest } from "../../tests/support/rest";
import { ServerProcess } from "../../tests/support/server";
import { expectSteps, expectThat, finish, heading, say, show } from "./narration";
import { tunnel } from "./tunnel";

const COLLECTIONS = [
  "/credentials",
  "/certificate_authorities",
  "/ip_policies",
  "/ip_policy_rules",
  "/backends/tunnel_group",
  "/edges/tls",
];

async function main(): Promise<void> {
  const server = await ServerProcess.start();
  const rest = new Rest(server.url, server.apiKey);
  let choices: Choices = {};
  const engine = await Engine.create({
    program: async () => quickstart(choices),
    env: { TUNNELPLANE_BASE_URL: server.url, TUNNELPLANE_API_KEY: server.apiKey },
  });
  try {
    heading("A server and a program");
    say(`A tunnelplane server listens on ${server.url} with an empty store.`);
    say("examples/quickstart/program.ts declares six things: an edge, what it needs, and a credential.");

    heading("1. Preview: what would happen");
    const planned = await engine.preview({ diff: true });
    show(planned.stdout);
    expectThat(
      "six creations planned",
      planned.steps.length === 6 && planned.steps.every((step) => step.op === "create"),
    );
    expectThat("the server was not touched", (await countAll(rest)) === 0);

    heading("2. Up: the objects are created");
    await engine.up();
    const edge = await onlyEdge(rest);
    expectThat("six objects on the server", (await countAll(rest)) === 6);
    expectThat(
      `the edge serves ${edge.hostports}, from TLS ${edge.tls_termination.min_version} on`,
      edge.tls_termination.min_version === "1.3",
    );
    const [credential] = (await rest.get("/credentials")).body.credentials;
    const { authtoken } = engine.outputs();
    expectThat(
      "the authtoken is a one-time secret: Pulumi keeps it encrypted, the server answers null from now on",
      credential.token === null && authtoken?.secret === true && String(authtoken.value).startsWith("tpt_"),
    );

    heading("3. Preview again: nothing to do");
    expectSteps("all six unchanged", await engine.preview(), []);

    heading("4. Somebody lowers the TLS version behind our back");
    say('curl -X PUT …/tls_termination -d \'{"min_version": "1.2"}\'');
    await rest.put(`/edges/tls/${edge.id}/tls_termination`, { min_version: "1.2" });
    await engine.refresh();
    const drift = await engine.preview({ diff: true });
    show(drift.stdout);
    expectSteps("the preview shows exactly that property", drift, ["update app tlsTermination.minVersion"]);

    heading("5. Up repairs it");
    await engine.up();
    expectThat("TLS 1.3 again", (await onlyEdge(rest)).tls_termination.min_version === "1.3");

    heading("6. The program stops restricting the edge to the office");
    choices = { officeOnly: false };
    expectSteps("one module is removed", await engine.up(), ["update app ipRestriction"]);
    const opened = await onlyEdge(rest);
    expectThat("the server deleted ip_restriction", opened.ip_restriction === null);
    expectThat(
      "and left the other modules alone",
      opened.mutual_tls !== null && opened.backend !== null && opened.tls_termination !== null,
    );

    heading("7. The clients' authority is renewed while the edge uses it");
    choices = { ...choices, clientsCa: "clients-ca-2027.pem" };
    const [oldCa] = (await rest.get("/certificate_authorities")).body.certificate_authorities;
    expectSteps(
      "a certificate cannot change, so: new one, edge moved over, old one deleted",
      await engine.up(),
      [
        "create-replacement clients caPem",
        "replace clients caPem",
        "update app mutualTls.certificateAuthorityIds[0]",
        "delete-replaced clients",
      ],
    );
    const [newCa] = (await rest.get("/certificate_authorities")).body.certificate_authorities;
    expectThat(
      `the edge trusts "${newCa.subject_common_name}" now`,
      (await onlyEdge(rest)).mutual_tls.certificate_authorities[0].id === newCa.id,
    );
    expectThat(
      `"${oldCa.subject_common_name}" is gone`,
      (await rest.get(`/certificate_authorities/${oldCa.id}`)).status === 404,
    );

    heading("8. Destroy: nothing is left");
    await engine.destroy();
    expectThat("the server is empty", (await countAll(rest)) === 0);

    await tunnel(server, 9);
  } finally {
    engine.dispose();
    expectThat("the server shut down cleanly", (await server.stop()) === 0);
  }
  finish();
}

async function onlyEdge(rest: Rest) {
  return (await rest.get("/edges/tls")).body.tls_edges[0];
}

async function countAll(rest: Rest): Promise<number> {
  const pages = await Promise.all(COLLECTIONS.map((path) => rest.get(path)));
  return pages.flatMap(({ body }) => Object.values(body).filter(Array.isArray)).flat().length;
}

main().catch((error: Error) => {
  console.error(`\n${error.stack}\n`);
  process.exitCode = 1;
});
