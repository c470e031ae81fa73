import * as pulumi from "@pulumi/pulumi";
import * as tunnels from "@tunnelplane/pulumi";

export interface Choices {
  readonly logGroup?: string;
  /** The key for the monitoring service's intake. */
  readonly monitoringKey?: pulumi.Input<string>;
  /** Also watch policies being deleted. */
  readonly watchDeletions?: boolean;
  /** The purpose of the policy. */
  readonly purpose?: string;
  /** The access of the office's network. */
  readonly office?: "allow" | "deny";
  /** Types of events that are watched besides. */
  readonly moreTypes?: readonly string[];
}

/**
 * Declares where changes of IP policies are reported: a log group for the record, a monitoring service for
 * those on call.
 */
export function eventPipeline({
  logGroup = "arn:aws:logs:eu-central-1:123456789012:log-group:tunnels",
  monitoringKey = pulumi.secret("0123456789abcdef0123456789abcdef"),
  watchDeletions = false,
  purpose = "our offices",
  office = "allow",
  moreTypes = [],
}: Choices = {}) {
  const record = new tunnels.EventDestination("record", {
    description: "kept for a year",
    target: {
      logService: {
        logGroupRef: logGroup,
        auth: { role: { roleRef: "arn:aws:iam::123456789012:role/tunnels" } },
      },
    },
  });
  const onCall = new tunnels.EventDestination("on-call", {
    target: {
      monitoringService: {
        apiKey: monitoringKey,
        service: "tunnels",
        monitoringTags: "env:prod",
        monitoringSite: "example.com",
      },
    },
  });

  const types = [
    "ip_policy_created.v0",
    "ip_policy_updated.v0",
    ...(watchDeletions ? ["ip_policy_deleted.v0"] : []),
    ...moreTypes,
  ];
  const watch = new tunnels.EventSubscription("policies", {
    description: "who may connect from where",
    sources: types.map((type) => ({ type })),
    destinationIds: [record.id, onCall.id],
  });

  const offices = new tunnels.IpPolicy("offices", { description: purpose });
  new tunnels.IpPolicyRule("berlin", { ipPolicyId: offices.id, cidr: "192.0.2.0/24", action: office });
  return { subscription: watch.uri, offices: offices.id, record: record.id };
}
