import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onOneDatabase, untilTestEnds } from "../support/databases";
import { Pebble } from "../support/pebble";
import { MOVABLE_CLOCK } from "../support/server";
import { needsPebble, OrderedDomain, passHours, StandInRefusals } from "./support";

onOneDatabase("A certificate that is proved in DNS", (start) => {
  const started = untilTestEnds(start);
  before(function () {
    needsPebble(this);
  });

  /** A program for `dns-01` that has Pebble's own name server answer. */
  const command = (pebble: Pebble): string => {
    const file = join(pebble.folder, "record");
    const log = join(pebble.folder, "records.log");
    writeFileSync(
      file,
      `#!/bin/sh
echo "$1 $2" >> ${log}
[ "$1" = present ] && url=set-txt || url=clear-txt
exec curl --silent --fail --data "{\\"host\\": \\"$2.\\", \\"value\\": \\"$3\\"}" http://127.0.0.1:${pebble.namesPort}/$url
`,
    );
    chmodSync(file, 0o755);
    return file;
  };

  it("is for a wildcard, by a program that makes the record and takes it away", async () => {
    const pebble = await Pebble.start();
    const server = await started({ args: [...pebble.flags, "--acme-dns-command", command(pebble)] });
    const domain = await OrderedDomain.make(server, "*.example.com");
    const certificate = await domain.certificate();
    expect(certificate.subject_alternative_names).to.deep.include({ dns_names: ["*.example.com"] });
    expect(readFileSync(join(pebble.folder, "records.log"), "utf8")).to.equal(
      "present _acme-challenge.example.com\ncleanup _acme-challenge.example.com\n",
    );
  });

  it("is not there for a wildcard without such a program, and the reason says what to do", async () => {
    const pebble = await Pebble.start();
    const server = await started({ args: pebble.flags });
    const job = await (await OrderedDomain.make(server, "*.example.com")).reason();
    expect(job.error_code).to.equal("not_possible");
    expect(String(job.msg)).to.contain("--acme-dns-command");
  });

  it("is not there where the program fails, with what that said, and goes on with its order later", async () => {
    const pebble = await Pebble.start();
    const refusals = await StandInRefusals.start(pebble);
    const file = command(pebble);
    const works = readFileSync(file, "utf8");
    writeFileSync(file, "#!/bin/sh\necho 'no such zone' >&2\nexit 3\n");
    const args = [...refusals.flags, "--acme-dns-command", file];
    const server = await started({ args, env: MOVABLE_CLOCK });
    const domain = await OrderedDomain.make(server, "*.example.com");
    const job = await domain.reason();
    expect(job).to.deep.include({ error_code: "dns_command" });
    expect(String(job.msg)).to.contain("no such zone");
    writeFileSync(file, works);
    await passHours(server, 1);
    await domain.certificate();
    expect(refusals.orders).to.equal(1);
  });
});
