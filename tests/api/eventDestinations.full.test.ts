import { expect } from "chai";
import { serverOfThisFile } from "../support/api/expect";
import { creds, destination, role, targets } from "../support/api/fixtures";
import { onOneDatabase } from "../support/databases";

const PATH = "/event_destinations";
const NO_TARGET = Object.fromEntries(Object.keys(targets()).map((kind) => [kind, null]));
const AUTHS = {
  role: { auth: role, answer: { ...role, creds: null } },
  creds: { auth: creds, answer: { role: null, ...creds } },
};

onOneDatabase("Event destinations", (start) => {
  const server = serverOfThisFile(start);

  it("are answered completely, with their secrets and null for unused targets, also when another kind takes the place of one", async () => {
    const changed = await server.created(PATH, destination());
    for (const kind of Object.keys(targets()) as (keyof ReturnType<typeof targets>)[])
      for (const { auth, answer } of Object.values(AUTHS)) {
        const target = targets(auth)[kind];
        const expected = { ...NO_TARGET, [kind]: "auth" in target ? { ...target, auth: answer } : target };
        const made = await server.created(PATH, destination({ [kind]: target }));
        const patched = await server.rest.patch(changed.uri, { target: { [kind]: target } });
        expect(patched.status, patched.text).to.equal(200);
        const again = await server.created(PATH, destination(made.target));
        const listed = (await server.read(PATH)).event_destinations[0];
        const read = [await server.read(made.uri), await server.read(changed.uri)];
        for (const shown of [made, patched.body, again, listed, ...read])
          expect(shown.target).to.deep.equal(expected);
      }
  });
});
