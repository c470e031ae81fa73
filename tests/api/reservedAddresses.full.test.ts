import { expectRefused, serverOfThisFile } from "../support/api/expect";
import { onEveryDatabase } from "../support/databases";

onEveryDatabase("Reserved addresses", (start) => {
  const server = serverOfThisFile(() =>
    start({ args: ["--tcp-address", "tcp.example.com", "--tcp-ports", "21000-21003"] }),
  );
  const PATH = "/reserved_addrs";

  it("get a free port each, also when many are asked for at once, until the range is full", async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => server.rest.post(PATH, {})));
    const made = answers.filter(({ status }) => status === 201);
    const ports = made.map(({ body }) => body.addr);
    expect(new Set(ports).size).to.equal(ports.length);
    for (const answer of answers) if (answer.status !== 201) expect(answer.status, answer.text).to.equal(409);
    for (let { length } = ports; length < 4; length++) ports.push((await server.created(PATH, {})).addr);
    expect(ports.toSorted()).to.deep.equal([0, 1, 2, 3].map((last) => `tcp.example.com:2100${last}`));
    expectRefused(await server.rest.post(PATH, {}), {
      status: 409,
      code: "TP_1501",
      mentions: ["21000", "21003", "--tcp-ports"],
    });
    expect((await server.rest.delete(made[0]?.body.uri)).status).to.equal(204);
    expect((await server.created(PATH, {})).addr).to.equal(made[0]?.body.addr);
  });
});
