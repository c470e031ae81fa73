import { openTarget } from "../../server/src/events/targets";
import { StandInServer } from "../support/standIn";
import { arn, event, failureOf, forever, inTheCloud, monitoring, sendOnce } from "../support/targets";

type Answer = { status?: number; headers?: Record<string, string>; body: unknown };
const JSON_TYPE = { "content-type": "application/x-amz-json-1.1" };

/** Behaviour that moto lacks: partial refusals and throttling, as the services' API references say. */
describe("Refusals by services in the cloud:", () => {
  /** Answers each request with the next of some answers, and keeps which operations were asked for. */
  const answering = async (...answers: Answer[]) => {
    const operations: string[] = [];
    const standIn = await StandInServer.start((request, response) => {
      operations.push(String(request.headers["x-amz-target"]).split(".").at(-1) as string);
      const {
        status = 200,
        headers,
        body,
      } = answers[Math.min(operations.length, answers.length) - 1] as Answer;
      request
        .resume()
        .on("end", () => response.writeHead(status, { ...JSON_TYPE, ...headers }).end(JSON.stringify(body)));
    });
    const { url } = standIn;
    return {
      operations,
      options: { endpoints: { stream_service: url, delivery_service: url, log_service: url } },
    };
  };
  const failing = (type: string, message = "…", status = 400): Answer => ({
    status,
    body: { __type: type, message },
  });

  const failed = {
    ErrorCode: "ProvisionedThroughputExceededException",
    ErrorMessage: "Rate exceeded for shard",
  };
  const broken = { ErrorCode: "InternalFailure", ErrorMessage: "Internal service failure" };

  for (const [kind, body] of [
    [
      "stream_service",
      { FailedRecordCount: 2, Records: [{ ShardId: "1", SequenceNumber: "1" }, failed, broken] },
    ],
    [
      "delivery_service",
      {
        FailedPutCount: 2,
        RequestResponses: [
          { RecordId: "1" },
          { ...failed, ErrorCode: "ServiceUnavailableException" },
          broken,
        ],
      },
    ],
  ] as const)
    it(`the result of each event is known if a ${kind} accepts only a part`, async () => {
      const { options } = await answering({ body });
      const [taken, throttled, lost, unmentioned] = await sendOnce(
        inTheCloud()[kind],
        [event(), event(), event(), event()],
        options,
      );
      expect(taken).to.deep.equal({ ok: true });
      expect(throttled).to.deep.include({ ok: false, throttled: true });
      expect(lost).to.deep.equal({
        ok: false,
        error: "InternalFailure: Internal service failure",
        throttled: false,
      });
      expect(unmentioned).to.deep.include({ ok: false });
    });

  it("an overloaded service has another error than one that refuses the keys, with the time to wait", async () => {
    for (const kind of ["stream_service", "delivery_service", "log_service"] as const) {
      const busy = await answering({
        ...failing("ThrottlingException", "Rate exceeded"),
        headers: { "retry-after": "7" },
      });
      const error = await failureOf(sendOnce(inTheCloud()[kind], [event()], busy.options));
      expect(error).to.include({ throttled: true, credentials: false, retryAfterMs: 7000 });
      expect(busy.operations, "the sender decides when to repeat").to.have.length(1);
      const closed = await answering(failing("AccessDeniedException", "not authorized"));
      expect(await failureOf(sendOnce(inTheCloud()[kind], [event()], closed.options))).to.include({
        throttled: false,
        credentials: true,
      });
    }
  });

  it("a log group's events that are too old, too new or expired are refused for good, and the others are not", async () => {
    const rejectedLogEventsInfo = {
      expiredLogEventEndIndex: 1,
      tooOldLogEventEndIndex: 2,
      tooNewLogEventStartIndex: 3,
    };
    const { options } = await answering({ body: { rejectedLogEventsInfo } });
    const sent = await sendOnce(inTheCloud().log_service, [event(), event(), event(), event()], options);
    expect(sent.map(({ ok }) => ok)).to.deep.equal([false, false, true, false]);
    for (const one of sent) if (!one.ok) expect(one.permanent).to.equal(true);
  });

  it("a missing log stream is created, even if another server created it meanwhile", async () => {
    const missing = failing("ResourceNotFoundException");
    for (const made of [{ body: {} }, failing("ResourceAlreadyExistsException")]) {
      const { options, operations } = await answering(missing, made, { body: {} });
      expect(await sendOnce(inTheCloud().log_service, [event()], options)).to.deep.equal([{ ok: true }]);
      expect(operations).to.deep.equal(["PutLogEvents", "CreateLogStream", "PutLogEvents"]);
    }
  });

  it("if a log group's batch fails half-way, its first part counts as accepted and the rest does not", async () => {
    const { options } = await answering({ body: {} }, failing("ServiceUnavailableException", "later", 503));
    const days = [3, 0].map((ago) =>
      event({ time: new Date(Date.now() - ago * 24 * 3600 * 1000).toISOString() }),
    );
    const [first, second] = await sendOnce(inTheCloud().log_service, days, options);
    expect(first).to.deep.equal({ ok: true });
    expect(second).to.deep.include({ ok: false, throttled: true });
  });

  it("an answer that no such service would give leads to an error that names the endpoint", async () => {
    const page = await StandInServer.start((_, response) =>
      response.writeHead(502).end("<html>Bad gateway</html>"),
    );
    const error = await failureOf(
      sendOnce(inTheCloud().stream_service, [event()], { endpoints: { stream_service: page.url } }),
    );
    expect(error.message).to.equal("answered 502 in no form that the service has; check its endpoint");
  });

  it("a caller who gives up gets the reason that it gave", async () => {
    const giveUp = new AbortController();
    const silent = await StandInServer.start(() => giveUp.abort(new Error("shutting down")));
    const sending = sendOnce(
      inTheCloud().stream_service,
      [event()],
      { endpoints: { stream_service: silent.url } },
      giveUp.signal,
    );
    expect(await sending.catch((error) => error.message)).to.equal("shutting down");
  });

  it("a service that does not answer is given up, and one that is down is reported as down", async () => {
    const [silent, down] = [await StandInServer.start(() => {}), await StandInServer.start(() => {})];
    down.stop();
    for (const [kind, target] of Object.entries({ ...inTheCloud(), monitoring_service: monitoring() }))
      for (const [{ url }, said] of [
        [silent, /^gave no answer within 0\.2 s$/],
        [down, /^cannot be reached: .*ECONNREFUSED/],
      ] as const) {
        const options = { endpoints: { [kind]: url }, timeoutMs: 200 };
        expect((await failureOf(sendOnce(target, [event()], options))).message, kind).to.match(said);
      }
  });

  it("a reference that could become another host is not opened", () => {
    const { stream_service } = inTheCloud();
    const { auth } = stream_service.stream_service;
    for (const wrong of [
      arn("kinesis", "stream/events").replace("eu-west-1", "x.evil.example"),
      arn("firehose", "deliverystream/events"),
      arn("kinesis", "stream/events").replace("123456789012", "evil.example/"),
    ])
      expect(() => openTarget({ ...stream_service, stream_service: { auth, stream_ref: wrong } })).to.throw(
        /not an ARN/,
      );
  });

  it("nothing is sent if every event of a batch is too large", async () => {
    const { options, operations } = await answering({ body: {} });
    const target = openTarget(inTheCloud().delivery_service, options);
    const [sent] = await target.send([event({ body: "x".repeat(target.limits.recordBytes) })], forever());
    expect(sent).to.deep.include({ ok: false, permanent: true });
    expect(operations).to.deep.equal([]);
  });
});
