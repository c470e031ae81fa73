import {
  curlSample,
  own,
  pythonSample,
  type SampleRequest,
  typescriptSample,
} from "@tunnelplane/sdk/contract";
import type { DescribedOperation } from "../operations/operation";
import { clientCall } from "./clientCalls";
import { exampleOf } from "./examples";
import { parametersInPath } from "./operationText";
import { PARAMETERS } from "./parameters";
import type { Json } from "./schemas";

/** An operation in code: with curl, in Python and in TypeScript. */
export function codeSamples(operation: DescribedOperation): Json[] {
  const ids = Object.fromEntries(
    parametersInPath(operation).map(({ name, example }) => [String(name), String(example)]),
  );
  const body = operation.body && exampleOf(operation.body);
  const { method, isForm, isOpen, success } = operation;
  const request: SampleRequest = {
    ...{ method, body, isForm, isOpen },
    path: `${operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(own(ids, name) ?? name))}${queryOf(operation)}`,
    isEmpty: success.status === 204,
  };
  return [
    { lang: "Shell", label: "curl", source: curlSample(request) },
    { lang: "Python", label: "Python", source: pythonSample(request) },
    {
      lang: "TypeScript",
      label: "TypeScript",
      source: typescriptSample(request, clientCall(operation, { ids, body })),
    },
  ];
}

/** The required parameters of a query, with example values. */
function queryOf({ required = [] }: DescribedOperation): string {
  const query = new URLSearchParams();
  for (const name of required) query.set(name, String(PARAMETERS[name]?.example ?? ""));
  return required.length > 0 ? `?${query}` : "";
}
