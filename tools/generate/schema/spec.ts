/**
 * The parts of Pulumi's package schema that this package uses:
 * https://www.pulumi.com/docs/iac/extending-pulumi/schema
 */
export interface TypeSpec {
  readonly type?: "string" | "boolean" | "integer" | "number" | "array" | "object";
  readonly $ref?: string;
  readonly items?: TypeSpec;
  readonly additionalProperties?: TypeSpec;
  readonly plain?: boolean;
}

export interface PropertySpec extends TypeSpec {
  readonly description?: string;
  readonly default?: string | number | boolean;
  readonly secret?: boolean;
  readonly replaceOnChanges?: boolean;
  readonly willReplaceOnChanges?: boolean;
  readonly deprecationMessage?: string;
}

export type Properties = Readonly<Record<string, PropertySpec>>;

export interface ObjectSpec {
  readonly type?: "object";
  readonly description?: string;
  readonly properties: Properties;
  readonly required?: readonly string[];
}

export interface EnumSpec {
  readonly type: "string" | "integer" | "number";
  readonly description?: string;
  readonly enum: readonly { readonly name: string; readonly value: string | number }[];
}

export interface ResourceSpec extends ObjectSpec {
  readonly inputProperties: Properties;
  readonly requiredInputs: readonly string[];
  /** By which objects can be listed; without it, they cannot. */
  readonly listInputs?: ObjectSpec;
  readonly aliases?: readonly { readonly type: string }[];
  readonly isComponent?: true;
}

export interface FunctionSpec {
  readonly description: string;
  readonly inputs: ObjectSpec;
  readonly outputs: ObjectSpec;
}
