import type { CheckRequest, ConfigureRequest, DiffRequest } from "@pulumi/pulumi/proto/provider_pb";
import { CheckResponse, DiffResponse, PropertyDiff } from "@pulumi/pulumi/proto/provider_pb";
import { same } from "@tunnelplane/pulumi/core";
import {
  ACCOUNT_API_KEY,
  ACCOUNT_BASE_URL,
  ACCOUNT_PROJECT,
  ACCOUNT_VALIDATE_ON_SERVER,
  type ConfigLookup,
} from "@tunnelplane/pulumi/operation";
import { mistakeInProjectName } from "@tunnelplane/sdk/contract";
import { failureOf } from "./failure";
import { isUnknown, received, sent } from "./values";

/** The settings of a provider, and the key under which an explicit provider keeps each. */
const SETTINGS: Readonly<Record<string, string>> = {
  baseUrl: ACCOUNT_BASE_URL,
  apiKey: ACCOUNT_API_KEY,
  project: ACCOUNT_PROJECT,
  validateOnServer: ACCOUNT_VALIDATE_ON_SERVER,
};
/** The settings that the engine adds for itself. */
const ENGINES_OWN = [
  "version",
  "pluginDownloadURL",
  "pluginChecksums",
  "parameterization",
  "__internal",
  "packageRef",
];
const SECRETS = [["apiKey"]];

/** Looks for mistakes in the settings of a provider. */
export function checkConfig(request: CheckRequest): CheckResponse {
  const { values, secrets } = received(request.getNews());
  const reasons = Object.entries(values).flatMap(([name, value]) => mistakesIn(name, value));
  return new CheckResponse()
    .setInputs(sent(values, [...secrets, ...SECRETS]))
    .setFailuresList(reasons.map(failureOf));
}

function mistakesIn(name: string, value: unknown): string[] {
  if (ENGINES_OWN.includes(name) || value == null || isUnknown(value)) return [];
  const accepted = Object.keys(SETTINGS).map((known) => `\`${known}\``);
  if (!(name in SETTINGS))
    return [`${name} is not a setting of the provider; accepted: ${accepted.join(", ")}`];
  if (name === "validateOnServer")
    return ["true", "false", ""].includes(String(value))
      ? []
      : [`validateOnServer must be true or false, got ${JSON.stringify(value)}`];
  if (typeof value !== "string") return [`${name} must be a string`];
  if (
    name === "baseUrl" &&
    value !== "" &&
    !(URL.canParse(value) && /^https?:$/.test(new URL(value).protocol))
  )
    return [`baseUrl must begin with http:// or https://, got ${JSON.stringify(value)}`];
  const mistake = name === "project" && value !== "" ? mistakeInProjectName(value) : undefined;
  return mistake === undefined ? [] : [`project ${mistake}`];
}

/**
 * Says that settings change; if it did not, the engine would go on with the old ones. No change replaces
 * anything.
 */
export function diffConfig(request: DiffRequest): DiffResponse {
  const [olds, news] = [
    received(request.getOldInputs() ?? request.getOlds()).values,
    received(request.getNews()).values,
  ];
  const changed = [...new Set([...Object.keys(olds), ...Object.keys(news)])].filter(
    (name) => !same(olds[name], news[name]),
  );
  const { DIFF_SOME, DIFF_NONE } = DiffResponse.DiffChanges;
  const response = new DiffResponse()
    .setChanges(changed.length > 0 ? DIFF_SOME : DIFF_NONE)
    .setDiffsList(changed)
    .setHasdetaileddiff(true);
  for (const name of changed) {
    const kind =
      olds[name] == null
        ? PropertyDiff.Kind.ADD
        : news[name] == null
          ? PropertyDiff.Kind.DELETE
          : PropertyDiff.Kind.UPDATE;
    response.getDetaileddiffMap().set(name, new PropertyDiff().setKind(kind).setInputdiff(true));
  }
  return response;
}

/**
 * The settings under the names by which code looks them up: a provider that a program makes names one server;
 * the default one has the settings of the stack.
 */
export function configOf(request: ConfigureRequest): ConfigLookup {
  const { values } = received(request.getArgs());
  if (isUnknown(values.validateOnServer)) delete values.validateOnServer;
  const isDefault = /^default(_|$)/.test(request.getName() || "default");
  const found = new Map(
    Object.entries(SETTINGS).map(([name, key]) => [isDefault ? `tunnelplane:${name}` : key, values[name]]),
  );
  return (key) => {
    const value = found.get(key);
    return value == null || value === "" ? undefined : String(value);
  };
}
