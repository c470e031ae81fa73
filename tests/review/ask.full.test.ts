import { join } from "node:path";
import type { PulumiFn } from "@pulumi/pulumi/automation";
import * as tunnels from "@tunnelplane/pulumi";
import { worldsOfPreview } from "@tunnelplane/pulumi/review";
import type { Decision } from "@tunnelplane/sdk/meaning";
import { certificate } from "../support/api/fixtures";
import { commandsInOne } from "../support/commandsInOne";
import { describeStacks } from "../support/provider";
import { Change, Folder, previewOf, tlsEdge } from "./support";

const CLI = join(__dirname, "../../provider/dist/cli/main.js");
const OUTSIDE = "--from 198.51.100.7";
const OLD = certificate({ name: "Partners" }).pem;
const NEW = certificate({ name: "Partners" }).pem;

/** A site whose /admin is for the office alone, and a door for partners. */
const program =
  ({ admin = true, caPem = OLD, fresh = false, answer = 204 } = {}): PulumiFn =>
  async () => {
    const page = new tunnels.HttpResponseBackend("page", { statusCode: answer });
    const office = new tunnels.IpPolicy("office");
    new tunnels.IpPolicyRule("office", { ipPolicyId: office.id, cidr: "10.0.0.0/8", action: "allow" });
    const site = new tunnels.HttpsEdge("site", { hostports: ["app.example.com:443"] });
    const route = (match: string, more: object = {}) =>
      new tunnels.HttpsEdgeRoute(`route ${match}`, {
        ...{ edgeId: site.id, matchType: "path_prefix", match, backend: { backendId: page.id } },
        ...more,
      });
    route("/");
    if (admin) route("/admin", { ipRestriction: { ipPolicyIds: [office.id] } });
    const partners = new tunnels.CertificateAuthority("partners", { caPem });
    const others = fresh ? [new tunnels.CertificateAuthority("suppliers", { caPem: NEW })] : [];
    new tunnels.TlsEdge("door", {
      hostports: ["door.example.com:443"],
      mutualTls: { certificateAuthorityIds: [partners, ...others].map(({ id }) => id) },
    });
  };

describeStacks("tunnelplane-pulumi ask", ({ world, server }) => {
  const folder = new Folder();
  let unchanged: string;
  let opened: string;
  let exchanged: string;
  let added: string;
  before("preview changes of a stack, on a server with an edge of somebody else", async () => {
    const change = await Change.of(world, server, program());
    const preview = async (choices: Parameters<typeof program>[0], name: string) =>
      folder.write(name, await change.preview(program(choices)));
    unchanged = await preview({}, "unchanged.json");
    opened = await preview({ admin: false }, "opened.json");
    exchanged = await preview({ caPem: NEW, answer: 200 }, "exchanged.json");
    added = await preview({ fresh: true }, "added.json");
    const edge = await server.rest.post("/edges/tls", { hostports: ["theirs.example.com:443"] });
    expect(edge.status, edge.text).to.equal(201);
    const credential = await server.rest.post("/credentials", {});
    expect(credential.status, credential.text).to.equal(201);
  });

  const onServer = () => ({ TUNNELPLANE_BASE_URL: server.url, TUNNELPLANE_API_KEY: server.apiKey });
  const askAll = (questions: readonly (readonly [file: string, words: string])[], env = onServer()) =>
    commandsInOne(
      CLI,
      questions.map(([file, words]) => ({ args: ["ask", "--preview", file, ...words.split(" ")], env })),
    );
  const ask = async (file: string, words: string) => {
    const [ended] = await askAll([[file, words]]);
    if (!ended) throw new Error("There is no answer");
    return ended;
  };

  it("says first whether a change lets a caller in, then what happens before and after it, step by step", async () => {
    const { code, stdout } = await ask(opened, `GET https://app.example.com/admin ${OUTSIDE}`);
    expect(code).to.equal(0);
    const [verdict, , before, ...steps] = stdout.split("\n");
    expect(verdict).to.equal("It changes: this request is let in after, and was not before.");
    expect(before).to.match(/^Before: Refused with 403: /);
    expect(steps[3]).to.contain("(ip_restriction of the HTTPS edge route ");
    expect(stdout).to.match(/\n\nAfter: Answered with 204: .*\n {3}Goes to: an answer of status 204\n/);
  });

  it("ends with 0, 3 or 4 by what is after the change, and says where nothing changes", async () => {
    const admin = "https://app.example.com/admin";
    const asked: readonly [code: number, verdict: string, file: string, words: string][] = [
      [0, "let in after, and was not before", opened, `${admin} ${OUTSIDE}`],
      [3, "Nothing changes: this request is not let in as before.", unchanged, `${admin} ${OUTSIDE}`],
      [0, "Nothing changes: this request is let in as before.", unchanged, `${admin} --from 10.1.2.3`],
      [0, "what is checked on its way changes", opened, `${admin} --from 10.1.2.3`],
      [0, "let in as before, but ends differently", exchanged, `https://app.example.com/ ${OUTSIDE}`],
      [4, "is not known", unchanged, `${admin} --from 0.0.0.0/0`],
      [0, "Nothing changes", opened, `tls://theirs.example.com ${OUTSIDE}`],
      [3, "Nothing changes", opened, `https://nobody.example.com ${OUTSIDE}`],
    ];
    const ended = await askAll(asked.map(([, , file, words]) => [file, words] as const));
    for (const [index, [code, verdict, , words]] of asked.entries()) {
      expect(ended[index]?.stdout.split("\n")[0], words).to.contain(verdict);
      expect(ended[index]?.code, words).to.equal(code);
    }
  });

  it("takes a name for the authority of a certificate that the caller holds before the change", async () => {
    const door = `tls://door.example.com ${OUTSIDE}`;
    const [shut, kept, fresh, other] = await askAll([
      [exchanged, `${door} --certificate-of partners`],
      [unchanged, `${door} --certificate-of Partners`],
      [added, `${door} --certificate-of suppliers --format json`],
      [unchanged, `${door} --certificate-of other`],
    ]);
    expect(shut).to.include({ code: 3 });
    expect(shut?.stdout).to.contain("not let in any more");
    expect(kept).to.include({ code: 0 });
    expect(fresh).to.include({ code: 0 });
    const { before, after }: Record<"before" | "after", Decision> = JSON.parse(fresh?.stdout ?? "");
    expect([before.outcome, after.outcome]).to.deep.equal(["closed", "answered"]);
    expect(other).to.include({ code: 3 });
  });

  it("does not know what is outside of the stack where no server is named, and says why", async () => {
    const [theirs, ours] = await commandsInOne(
      CLI,
      [`tls://theirs.example.com ${OUTSIDE}`, `https://app.example.com/ ${OUTSIDE}`].map((words) => ({
        args: ["ask", "--preview", unchanged, ...words.split(" ")],
      })),
    );
    expect(theirs).to.include({ code: 4 });
    expect(theirs?.stderr).to.contain("No server was asked");
    expect(ours).to.include({ code: 0 });
  });

  it("ends with 1 and one line for what is no request, no authority and no preview", async () => {
    const request = `https://app.example.com/ ${OUTSIDE}`;
    const wrong: readonly [file: string, words: string, said: string][] = [
      [unchanged, `app.example.com/ ${OUTSIDE}`, 'did you mean "https://app.example.com/"?'],
      [unchanged, "https://app.example.com/ --from nowhere", "is not an IP address"],
      [unchanged, `${request} --certificate-of Partner`, 'did you mean "partners" or "Partners"?'],
      [folder.write("no.json", "nothing"), request, "is not JSON"],
      [join(folder.path, "missing.json"), request, "there is no such file"],
      [unchanged, "https://app.example.com/", "required option '--from <address>'"],
    ];
    const ended = await askAll(wrong.map(([file, words]) => [file, words] as const));
    for (const [index, [, words, said]] of wrong.entries()) {
      expect(ended[index], words).to.include({ code: 1, stdout: "" });
      expect(ended[index]?.stderr.trimEnd().split("\n"), words).to.have.length(1);
      expect(ended[index]?.stderr).to.contain(said);
    }
    const [nowhere] = await askAll([[unchanged, request]], {
      ...onServer(),
      TUNNELPLANE_BASE_URL: "http://127.0.0.1:9",
    });
    expect(nowhere).to.include({ code: 1, stdout: "" });
    expect(nowhere?.stderr).to.contain("is the server running?");
  });

  it("gives programs both worlds of a preview", async () => {
    const preview = previewOf([tlsEdge("app", { before: {}, after: { mutualTls: null } })]);
    const { before, after, limits } = await worldsOfPreview(preview);
    expect([before.objects.length, after.objects.length]).to.deep.equal([1, 1]);
    expect(limits.join()).to.contain("No server was asked");
  });
});
