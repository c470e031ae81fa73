import { hostname } from "node:os";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { EventDestinationTargetMonitoringService } from "@tunnelplane/sdk";
import { siteIn } from "@tunnelplane/sdk/contract";
import type { Dispatcher } from "undici";
import { OtherServers } from "../../util";
import {
  type DeliveryTarget,
  isOfContent,
  type Outgoing,
  retryAfterMs,
  type Sent,
  TargetError,
  type TargetOptions,
  unreachable,
} from "./target";

const CONNECT_MS = 10_000;
const MAX_ANSWER_SIZE = 64 * 1024;
const zip = promisify(gzip);

/**
 * A monitoring service: the logs intake of Datadog, version 2. It truncates logs over 1 MB, so we send none
 * of those. https://docs.datadoghq.com/api/latest/logs/send-logs/
 */
export function openMonitoringService(
  target: EventDestinationTargetMonitoringService,
  options: TargetOptions,
): DeliveryTarget {
  const { api_key, monitoring_tags, service } = target;
  const operators = options.endpoints?.monitoring_service;
  const url = new URL(`${operators ?? intakeOf(target.monitoring_site)}/api/v2/logs`);
  // An operator may choose any address. A user may not make the server connect to its private network.
  const others = new OtherServers({
    ...{ connectMs: CONNECT_MS, maxResponseSize: MAX_ANSWER_SIZE },
    allowPrivate: operators !== undefined || options.allowPrivate === true,
  });
  const headers = { "content-type": "application/json", "content-encoding": "gzip", "dd-api-key": api_key };
  const common = {
    ddsource: "tunnelplane",
    ddtags: monitoring_tags || undefined,
    service: service || undefined,
    hostname: hostname(),
  };
  const logOf = ({ time, body }: Outgoing) => JSON.stringify({ ...common, timestamp: time, message: body });

  return {
    limits: { count: 1000, bytes: 5_000_000 - 2, recordBytes: 1_000_000 },
    atomic: true,
    sizeOf: (event: Outgoing) => Buffer.byteLength(logOf(event)) + 1,
    async send(batch, signal) {
      const body = await zip(`[${batch.map(logOf).join(",")}]`);
      const answer = await others
        .request(url, { method: "POST", headers, body, signal })
        .then(async ({ statusCode, headers: answered, body: text }) => ({
          statusCode,
          answered,
          text: await text.text(),
        }))
        .catch((error) => {
          throw unreachable(error);
        });
      if (answer.statusCode < 200 || answer.statusCode > 299)
        throw refused(answer.statusCode, answer.answered, answer.text);
      return batch.map((): Sent => ({ ok: true }));
    },
    close: () => void others.close(),
  };
}

function intakeOf(site: string): string {
  const domain = siteIn(site);
  if (domain === undefined)
    throw new TargetError(`cannot be found: the site ${JSON.stringify(site)} is not a domain name`);
  return `https://http-intake.logs.${domain}`;
}

function refused(status: number, headers: Dispatcher.ResponseData["headers"], text: string): TargetError {
  const credentials = status === 401 || status === 403;
  const why = credentials
    ? "it does not know the API key, or this site does not"
    : status >= 300 && status < 400
      ? "it points to another address, which is not followed; check the site"
      : text;
  return new TargetError(`refused with status ${status}: ${why}`, {
    throttled: status === 429,
    credentials,
    ofContent: isOfContent(status),
    retryAfterMs: retryAfterMs(headers),
  });
}
