import { z } from "zod";
import { isOptional, KINDS, ROLES, registry } from "../../sdk/src/contract";
import { OBSERVED, OBSERVED_SCHEMAS, type ObservedKind } from "../../sdk/src/contract/observed";
import * as shapes from "../../sdk/src/operations";
import { type Style, writeInterface } from "./interfaces";
import { HEADER } from "./names";
import { answered } from "./sdk";

/** The types of the client that follow from the shapes of operations, with what stands above each. */
const TYPES: readonly (readonly [name: string, shape: shapes.Shape, doc: string])[] = [
  ["BindAuthorization", shapes.bindAuthorizationShape, "The answer to an agent's request to bind."],
  ["Caller", shapes.callerShape, "The owner of an API key, its role, and the server that knows it."],
  ["ChangeSet", shapes.changeSetShape, "A set, with its objects and their keys."],
  ["ChangeSetRequest", shapes.changeSetRequestShape, "The desired state of a set."],
  ["ChangeSetResult", shapes.changeSetResultShape, "What an apply did, or would do."],
  ["ChangeSetSummary", shapes.changeSetSummaryShape, "A set in lists."],
  ["Event", shapes.eventShape, "One change of one object."],
  ["EventDelivery", shapes.deliveryShape, "The delivery of an event to a destination."],
  ["EventDestinationTest", shapes.destinationTestShape, "The result of a test event."],
  ["ExchangedToken", shapes.exchangedTokenShape, "What the server answers to an exchange."],
  ["ExposureFacts", shapes.exposureFactsShape, "What the server adds to a row of exposures."],
  ["Gateway", shapes.gatewayShape, "A gateway in lists."],
  ["GatewayReport", shapes.gatewayReportShape, "A gateway's report about itself."],
  ["GatewayStatus", shapes.gatewayStatusShape, "A gateway with its complete report."],
  ["SearchResults", shapes.searchResultsShape, "The objects that a search found."],
  [
    "AuditHead",
    shapes.auditHeadShape,
    "The head of the audit log. Keep a copy elsewhere to verify later that nobody changed the log up to this row.",
  ],
];

/** The names of the objects inside, where others use them. */
const NESTED: Readonly<Record<string, string>> = {
  "Caller.Projects": "CallerProject",
  "ExposureFactsGateways.Agents": "GatewayAgent",
  "GatewayReport.Agents": "ReportedAgent",
  "GatewayReport.Edges": "ReportedEdge",
  "ChangeSetRequest.Objects": "SetObject",
  "ChangeSetResult.Operations": "SetOperation",
  "GatewayStatus.Agents": "GatewayAgent",
  "GatewayStatus.Edges": "GatewayEdge",
  "SearchResults.Results": "SearchResult",
};

const style: Style = {
  ...answered,
  mayBeLeftOut: (schema) => schema instanceof z.ZodOptional,
  isReadonly: true,
  nest: (parent, field) => NESTED[`${parent}.${field}`] ?? parent + field,
};

/** The wire types of operations that are no resources. */
export function operationTypes(): string {
  const observed = (Object.keys(OBSERVED) as ObservedKind[]).map((kind) => {
    const { type, doc } = OBSERVED[kind];
    return writeInterface(type, doc, OBSERVED_SCHEMAS[kind](), style);
  });
  const text = [
    // A gateway leaves out nothing of its report.
    ...TYPES.map(([name, { schema, io }, doc]) =>
      writeInterface(
        name,
        doc,
        schema,
        name === "GatewayReport" || io === "output" ? style : { ...style, mayBeLeftOut: isOptional },
      ),
    ),
    ...observed,
  ].join("");
  // A shape that stands in several places is one interface.
  const interfaces = new Set(named(text).split(/(?<=^\}\n)\n/m));
  return `${HEADER}import type { Kind } from "../contract/kinds";\nimport type { Role } from "../contract/role";\nimport type { Ref } from "./ref";\n\n${[...interfaces].join("\n").trimEnd()}\n`;
}

/** Kinds and roles by the names of their types, also where shapes have texts; types as texts. */
const named = (text: string): string =>
  text
    .replaceAll(unionOf(KINDS), "Kind")
    .replaceAll("readonly kind: string;", "readonly kind: Kind;")
    .replaceAll(unionOf(ROLES), "Role")
    .replaceAll(unionOf(registry.map(({ type }) => type)), "string");

const unionOf = (values: readonly string[]): string =>
  values.map((value) => JSON.stringify(value)).join(" | ");
