import type { EventDestinationTarget } from "@tunnelplane/sdk";
import { definitionOf, fieldsOf, secretPathsOf, shapeOf } from "@tunnelplane/sdk/contract";
import { z } from "zod";
import { mark } from "../../sdk/dist/contract/core/marks";
import { maskOf } from "../../server/src/events/targets/mask";
import { StandInServer } from "../support/standIn";
import { event, inTheCloud, monitoring, sendOnce, webhook } from "../support/targets";

const CANARY = "canary/+= 'of\"the\\secret~ü";
/** The canary with codes in place of some of its characters, as many writers of JSON write them. */
const coded = (characters: RegExp) =>
  JSON.stringify(
    CANARY.replace(characters, (char) => `<${char.charCodeAt(0).toString(16).padStart(4, "0")}>`),
  ).replace(/<(\w{4})>/g, "\\u$1");
const DEFINITION = definitionOf("event_destination");

/** Forms in which an answer may repeat a secret. */
const FORMS: Readonly<Record<string, string>> = {
  "as it is": CANARY,
  "in JSON": JSON.stringify(CANARY),
  "in JSON whose slashes are escaped": JSON.stringify(CANARY).replaceAll("/", "\\/"),
  "in JSON within JSON": JSON.stringify(JSON.stringify({ key: CANARY })),
  "in JSON within JSON within JSON": JSON.stringify(JSON.stringify(JSON.stringify({ key: CANARY }))),
  "in JSON whose quotes are escaped twice": JSON.stringify(CANARY).slice(1, -1).replaceAll('"', '\\"'),
  "in JSON of ASCII characters": coded(/[^ -~]/g),
  "in JSON of ASCII characters whose slashes are escaped": coded(/[^ -~]/g).replaceAll("/", "\\/"),
  "in JSON with codes for what HTML or URLs use": coded(/[^ -~]|["&'+<>`]/g),
  "in JSON with codes for all but words": coded(/\W/g),
  "in JSON with codes alone": coded(/./g),
  "in JSON with codes alone, within JSON": JSON.stringify(coded(/./g)),
  "in JSON with codes in capital letters": coded(/[^ -~]|["&'+<>`]/g).replace(
    /u\w{4}/g,
    (code) => `u${code.slice(1).toUpperCase()}`,
  ),
  "in a URL": `https://user:${encodeURIComponent(CANARY)}@example.com/`,
  "in a URL with codes in small letters": encodeURIComponent(CANARY).replace(/%../g, (code) =>
    code.toLowerCase(),
  ),
  "in the path of a URL": encodeURI(CANARY),
  "in a form": new URLSearchParams({ key: CANARY }).toString(),
  "in base64": Buffer.from(CANARY).toString("base64"),
  "in base64 of URLs": Buffer.from(CANARY).toString("base64url"),
  ...Object.fromEntries(
    ["u:", "us:", "use:"].map((user) => [
      `in Basic, after ${user}`,
      Buffer.from(`${user}${CANARY}:`).toString("base64"),
    ]),
  ),
  "in hexadecimal digits": Buffer.from(CANARY).toString("hex"),
};

/** A target of one kind with a canary in each of its secrets, as the contract marks them. */
function withCanary(path: string): EventDestinationTarget {
  const [, ...names] = path.split(".");
  return names.reduceRight<unknown>((value, name) => ({ [name]: value }), CANARY) as EventDestinationTarget;
}

describe("Errors of services that receive events", () => {
  const kinds = (fieldsOf(DEFINITION.fields.target as z.ZodType) ?? []).map(([name]) => name);
  const paths = secretPathsOf(DEFINITION);

  it("each kind of target has secrets that the contract marks", () => {
    for (const kind of kinds)
      expect(paths.filter((path) => path.startsWith(`target.${kind}.`))).not.to.deep.equal([]);
  });

  for (const path of paths)
    it(`hold nothing of ${path}, however it is encoded`, () => {
      for (const [form, text] of Object.entries(FORMS)) {
        const said = maskOf(withCanary(path))(`before ${text} after`);
        expect(said, form).to.match(/^before .*….* after$/);
        for (const part of [
          "canary",
          "of%22the",
          "secret",
          Buffer.from(CANARY).toString("base64").slice(6, 14),
          "63616e617279",
          "u0063",
        ])
          expect(said, form).not.to.include(part);
      }
    });

  it("hold no secret of a kind of target that the contract gets one day", () => {
    const later = z.object({
      ...shapeOf(DEFINITION.fields.target as z.ZodType),
      webhook: z.object({ url: mark(z.string(), { secret: true }) }),
    });
    const definition = { ...DEFINITION, fields: { ...DEFINITION.fields, target: later } };
    const target = { webhook: { url: CANARY } } as unknown as EventDestinationTarget;
    expect(maskOf(target, definition)(`cannot be reached: ${encodeURIComponent(CANARY)}`)).to.equal(
      "cannot be reached: …",
    );
  });

  it("are masked where a service repeats the request, for each kind of target", async () => {
    const secret = "wJalr/XUtnFEMI+K7MDENG";
    const answer = JSON.stringify({
      __type: "ValidationException",
      message: `you sent ${encodeURIComponent(secret)} and ${secret}`,
    });
    const standIn = await StandInServer.start((request, response) => {
      request
        .resume()
        .on("end", () =>
          response.writeHead(400, { "content-type": "application/x-amz-json-1.1" }).end(answer),
        );
    });
    const creds = {
      role: null,
      creds: { cloud_access_key_id: "AKIAIOSFODNN7EXAMPLE", cloud_secret_access_key: secret },
    };
    const targets: Readonly<Record<string, EventDestinationTarget>> = {
      ...inTheCloud(creds),
      monitoring_service: monitoring({ api_key: secret }),
      webhook: webhook(standIn.url, { headers: { authorization: secret } }),
    };
    expect(Object.keys(targets)).to.have.members(kinds);
    for (const [kind, target] of Object.entries(targets)) {
      const options = { endpoints: { [kind]: standIn.url }, allowPrivate: true };
      const [sent] = await sendOnce(target, [event()], options);
      expect(sent?.ok === false && sent.error, kind)
        .to.include("you sent … and …")
        .and.not.to.include(secret);
    }
  });
});
