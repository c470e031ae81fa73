import { conditioned, text } from "../core/fields";
import { present } from "../core/narrow";

/** An Amazon Resource Name, in its parts: `arn:<partition>:<service>:<region>:<account>:<resource>`. */
export interface Arn {
  readonly region: string;
  readonly account: string;
  /** The resource's name without the prefix of its kind: `tunnels` for `stream/tunnels`. */
  readonly name: string;
}

// The region becomes part of a host name, so it must not be able to name another host.
const REGION = "[a-z]{2,4}(?:-[a-z]+)+-\\d{1,2}";

/** The form of the ARN for each kind (the AWS service authorization reference, "Resource types"). */
const KINDS = {
  role: {
    title: "role",
    service: "iam",
    region: "",
    name: "role/((?:[!-~]+/)?[\\w+=,.@-]{1,64})",
    example: "role/tunnels",
  },
  stream: {
    title: "stream",
    service: "kinesis",
    region: REGION,
    name: "stream/([\\w.-]{1,128})",
    example: "stream/tunnels",
  },
  deliveryStream: {
    title: "delivery stream",
    service: "firehose",
    region: REGION,
    name: "deliverystream/([\\w.-]{1,64})",
    example: "deliverystream/tunnels",
  },
  // The console and many tools add `:*`, which stands for every log stream of the group.
  logGroup: {
    title: "log group",
    service: "logs",
    region: REGION,
    name: "log-group:([\\w./#-]{1,512})(?::\\*)?",
    example: "log-group:tunnels",
  },
} as const;

/** Parses an ARN of a kind; undefined if it is none. */
export function readArn(kind: keyof typeof KINDS, text: string): Arn | undefined {
  const { service, region, name } = KINDS[kind];
  const found = new RegExp(`^arn:aws(?:-[a-z]+)*:${service}:(${region}):(\\d{12}):${name}$`).exec(text);
  return found
    ? { region: present(found[1]), account: present(found[2]), name: present(found[3]) }
    : undefined;
}

/** An ARN of a kind. */
export function arn(kind: keyof typeof KINDS) {
  const { title, service, region, example } = KINDS[kind];
  const shown = `arn:aws:${service}:${region && "eu-central-1"}:123456789012:${example}`;
  return conditioned(text(2048), (value) =>
    readArn(kind, value) ? undefined : `must be the ARN of a ${title}, for example "${shown}"`,
  ).meta({ examples: [shown] });
}
