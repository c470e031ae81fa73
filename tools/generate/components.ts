import { COMPONENTS, type Component } from "../../provider/src/core/components";
import { HEADER, isInstance, jsdoc } from "./names";

/** The modules that components take, by their types in the schema: where the generated code has them. */
const MODULES: Readonly<Record<string, string>> = { HttpsEdgeRouteOidcModule: "httpsEdgeRoute" };

/** The classes of the children, by their files. */
const CHILDREN: Readonly<Record<string, string>> = {
  Guarantee: "guarantee",
  HttpsEdge: "httpsEdge",
  HttpsEdgeRoute: "httpsEdgeRoute",
  IpPolicy: "ipPolicy",
  IpPolicyRule: "ipPolicyRule",
  TunnelCredential: "tunnelCredential",
  TunnelGroupBackend: "tunnelGroupBackend",
};

/** The components as classes of TypeScript. */
export function componentClasses(): string {
  const imports = [
    ...Object.entries(MODULES).map(([type, file]) => `import type { ${type} } from "./${file}";\n`),
    ...Object.entries(CHILDREN).map(([type, file]) => `import { ${type} } from "./${file}";\n`),
  ];
  return `${HEADER.replace("sdk/src/contract", "provider/src/core/components.ts")}import type * as pulumi from "@pulumi/pulumi";
import { Component, isOfType } from "../host/component";
${imports.join("")}
const CHILDREN = { ${Object.keys(CHILDREN).join(", ")} };

${COMPONENTS.map(classOf).join("\n")}`;
}

function classOf({ type, doc, inputs, outputs, example }: Component): string {
  const args = Object.entries(inputs).map(
    ([name, input]) =>
      `${jsdoc(input.description, "  ")}  ${name}${input.optional ? "?" : ""}: ${typeOf(input)};\n`,
  );
  const properties = Object.entries(outputs).map(
    ([name, { description }]) =>
      `${jsdoc(description, "  ")}  declare readonly ${name}: pulumi.Output<string>;\n`,
  );
  const code = `const one = new tunnels.${type}("one", ${JSON.stringify(example, null, 2)});`;
  return `${jsdoc(`The arguments of ${type}.`)}export interface ${type}Args {
${args.join("\n")}}

${jsdoc(`${doc}\n\n@example\n\`\`\`ts\n${code}\n\`\`\``)}export class ${type} extends Component {
${properties.join("\n")}
${jsdoc(`@param args the declared properties; see {@link ${type}Args}`, "  ")}  constructor(name: string, args: ${type}Args, options?: pulumi.ComponentResourceOptions) {
    super("${type}", name, args, options, CHILDREN);
  }

${isInstance(type)}}
`;
}

function typeOf({ type, $ref, known }: Component["inputs"][string]): string {
  const input = (inner: string) => (known ? inner : `pulumi.Input<${inner}>`);
  if ($ref) return input($ref.split(":").at(-1) ?? "");
  return input(type === "array" ? `${input("string")}[]` : "string");
}
