import { expect } from "chai";
import {
  expectRefused,
  invalid,
  type Json,
  type Refusal,
  serverOfThisFile,
  unknownField,
} from "../support/api/expect";
import { creds, destination, role, targets } from "../support/api/fixtures";
import { onOneDatabase } from "../support/databases";

const PATH = "/event_destinations";
const NO_TARGET = {
  delivery_service: null,
  stream_service: null,
  log_service: null,
  monitoring_service: null,
};
const KINDS = ["stream_service", "delivery_service", "log_service", "monitoring_service"] as const;
const CLOUD = ["stream_service", "delivery_service", "log_service"] as const;
const REFERENCES = {
  stream_service: "stream_ref",
  delivery_service: "delivery_stream_ref",
  log_service: "log_group_ref",
};
const AUTHS = {
  role: { auth: role, answer: { ...role, creds: null } },
  creds: { auth: creds, answer: { role: null, ...creds } },
};

onOneDatabase("Event destinations", (start) => {
  const server = serverOfThisFile(start);
  const monitoring = { monitoring_service: targets().monitoring_service };

  /** Tries a target in a creation and in an update: both are refused, and no secret is repeated. */
  const expectTargetRefused = async (target: unknown, refusal: Refusal): Promise<void> => {
    const { uri } = await server.created(PATH, destination());
    for (const answer of [
      await server.rest.post(PATH, { format: "json", target }),
      await server.unchangedBy(uri, () => server.rest.patch(uri, { target })),
    ]) {
      expectRefused(answer, refusal);
      for (const secret of [creds.creds.cloud_secret_access_key, targets().monitoring_service.api_key])
        expect(answer.text).not.to.include(secret);
    }
  };

  for (const kind of CLOUD)
    for (const [name, { auth, answer }] of Object.entries(AUTHS))
      it(`a ${kind} with ${name} is answered completely, with its secrets, and with null for unused targets`, async () => {
        const target = targets(auth)[kind];
        const { uri, ...created } = await server.created(PATH, destination({ [kind]: target }));
        const expected = { ...NO_TARGET, [kind]: { ...target, auth: answer } };
        expect(created.target).to.deep.equal(expected);
        expect((await server.read(uri)).target).to.deep.equal(expected);
        const { event_destinations } = await server.read(PATH);
        expect(event_destinations[0].target).to.deep.equal(expected);
      });

  it("a monitoring_service is answered completely, with its API key, and with null for unused targets", async () => {
    const { uri, target } = await server.created(PATH, destination(monitoring));
    expect(target).to.deep.equal({ ...NO_TARGET, ...monitoring });
    expect((await server.read(uri)).target).to.deep.equal(target);
  });

  it("unused targets may be sent as null, as answers have them", async () => {
    const first = await server.created(PATH, destination({ stream_service: targets(creds).stream_service }));
    const again = await server.created(PATH, destination(first.target));
    expect(again.target).to.deep.equal(first.target);
  });

  it("a destination has one target: none is refused", async () => {
    for (const target of [{}, NO_TARGET])
      await expectTargetRefused(target, invalid(undefined, "target", ...KINDS));
    expectRefused(await server.rest.post(PATH, { format: "json" }), invalid("target"));
  });

  it("a destination has one target: several are refused", async () => {
    const all = targets(creds);
    for (const kind of CLOUD)
      await expectTargetRefused(
        { ...monitoring, [kind]: all[kind] },
        invalid(undefined, kind, "monitoring_service"),
      );
    await expectTargetRefused(
      { stream_service: all.stream_service, log_service: all.log_service },
      invalid(undefined, "target"),
    );
    await expectTargetRefused(all, invalid(undefined, "target"));
  });

  it("a target of a kind that does not exist is refused, and the answer names the kinds that do", async () => {
    await expectTargetRefused(
      { carrier_pigeon: { loft: "north" } },
      unknownField("target.carrier_pigeon", ...KINDS),
    );
  });

  it("a target is an object, and so is each kind of it", async () => {
    for (const wrong of ["text", 5, [monitoring]]) await expectTargetRefused(wrong, invalid("target"));
    for (const kind of KINDS)
      for (const wrong of ["text", 5, true])
        await expectTargetRefused({ [kind]: wrong }, invalid(`target.${kind}`));
  });

  for (const kind of CLOUD) {
    const targetWith = (auth: object): Json => ({ [kind]: targets(auth)[kind] });

    it(`a ${kind} is reached with a role or with keys: neither and both are refused`, async () => {
      for (const neither of [{}, { role: null, creds: null }])
        await expectTargetRefused(
          targetWith(neither),
          invalid(undefined, `target.${kind}.auth`, "role", "creds"),
        );
      await expectTargetRefused(
        targetWith({ ...role, ...creds }),
        invalid(undefined, `target.${kind}.auth`, "role", "creds"),
      );
      await expectTargetRefused(
        { [kind]: { ...targets()[kind], auth: undefined } },
        invalid(`target.${kind}.auth`),
      );
    });

    it(`a ${kind} needs whole keys and a reference that is a string`, async () => {
      const auth = `target.${kind}.auth`;
      for (const field of Object.keys(creds.creds))
        await expectTargetRefused(
          targetWith({ creds: { ...creds.creds, [field]: undefined } }),
          invalid(`${auth}.creds.${field}`),
        );
      await expectTargetRefused(targetWith({ role: { role_ref: 5 } }), invalid(`${auth}.role.role_ref`));
      const reference = REFERENCES[kind];
      for (const wrong of [undefined, "", 5])
        await expectTargetRefused(
          { [kind]: { ...targets()[kind], [reference]: wrong } },
          invalid(`target.${kind}.${reference}`),
        );
    });

    it(`a ${kind} is referred to by an ARN`, async () => {
      const reference = REFERENCES[kind];
      const right = String((targets()[kind] as Json)[reference]);
      for (const wrong of [
        ...["events", "https://example.com/events", "arn:aws", role.role.role_ref],
        ...[
          right.replace("eu-west-1", "x.evil.example"),
          right.replace("eu-west-1", ""),
          right.replace("123456789012", "me"),
        ],
      ])
        await expectTargetRefused(
          { [kind]: { ...targets()[kind], [reference]: wrong } },
          invalid(`target.${kind}.${reference}`),
        );
    });

    it(`the role for a ${kind} is referred to by an ARN`, async () => {
      for (const wrong of [
        "events",
        "https://example.com/events",
        "arn:aws",
        "arn:aws:iam::123456789012:user/events",
      ])
        await expectTargetRefused(
          targetWith({ role: { role_ref: wrong } }),
          invalid(`target.${kind}.auth.role.role_ref`),
        );
    });
  }

  it("a monitoring_service needs an API key, and all its fields are strings", async () => {
    const { monitoring_service } = monitoring;
    await expectTargetRefused(
      { monitoring_service: { ...monitoring_service, api_key: undefined } },
      invalid("target.monitoring_service.api_key"),
    );
    for (const field of Object.keys(monitoring_service))
      await expectTargetRefused(
        { monitoring_service: { ...monitoring_service, [field]: 5 } },
        invalid(`target.monitoring_service.${field}`),
      );
  });

  it("a monitoring_service's site is a domain name and nothing else", async () => {
    const { monitoring_service } = monitoring;
    for (const wrong of [
      "https://datadoghq.eu",
      "datadoghq.eu/x",
      "datadoghq.eu:443",
      "me@datadoghq.eu",
      "127.0.0.1",
      "[::1]",
    ])
      await expectTargetRefused(
        { monitoring_service: { ...monitoring_service, monitoring_site: wrong } },
        invalid("target.monitoring_service.monitoring_site"),
      );
  });

  it("a target is replaced as a whole by an update, also by one of another kind", async () => {
    const { uri } = await server.created(PATH, destination());
    for (const kind of KINDS)
      for (const { auth, answer } of Object.values(AUTHS)) {
        const target = targets(auth)[kind];
        const expected = { ...NO_TARGET, [kind]: "auth" in target ? { ...target, auth: answer } : target };
        const patched = await server.rest.patch(uri, { target: { [kind]: target } });
        expect(patched.status, patched.text).to.equal(200);
        expect(patched.body.target).to.deep.equal(expected);
        expect((await server.read(uri)).target).to.deep.equal(expected);
      }
  });

  it("an update's target replaces all fields of the old one", async () => {
    const { uri } = await server.created(PATH, destination(monitoring));
    const { api_key, service, monitoring_site } = monitoring.monitoring_service;
    const patched = await server.rest.patch(uri, {
      target: { monitoring_service: { api_key, service, monitoring_site } },
    });
    expect(patched.status, patched.text).to.equal(200);
    expect(patched.text).not.to.include(monitoring.monitoring_service.monitoring_tags);
  });

  it("an update without a target does not change it, nor its secrets", async () => {
    const { uri, target } = await server.created(
      PATH,
      destination({ log_service: targets(creds).log_service }),
    );
    expect(
      (await server.rest.patch(uri, { description: "changed", metadata: "changed" })).body.target,
    ).to.deep.equal(target);
  });

  it("the format of events is json, and no other", async () => {
    const { uri, format } = await server.created(PATH, destination());
    expect(format).to.equal("json");
    for (const wrong of ["xml", "JSON", "protobuf", 5]) {
      expectRefused(
        await server.rest.post(PATH, { ...destination(), format: wrong }),
        invalid("format", "json"),
      );
      expectRefused(
        await server.unchangedBy(uri, () => server.rest.patch(uri, { format: wrong })),
        invalid("format"),
      );
    }
    expect((await server.rest.patch(uri, { format: "json" })).status).to.equal(200);
  });
});
