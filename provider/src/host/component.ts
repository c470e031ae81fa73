import * as pulumi from "@pulumi/pulumi";
import { type Child, COMPONENTS, componentToken, mistakesInComponent } from "../core/components";
import { noteNeeds } from "./order";

export { isOfType } from "./typeToken";

type Properties = Readonly<Record<string, unknown>>;

/** The classes of a component's children, by their names. */
type Classes = Readonly<
  Record<
    string,
    // Each class has its own arguments, which the definition of the component gives.
    new (
      name: string,
      args: never,
      options: pulumi.CustomResourceOptions,
    ) => pulumi.CustomResource
  >
>;

/** The base class of the components of this package. */
export abstract class Component extends pulumi.ComponentResource {
  protected constructor(
    type: string,
    name: string,
    args: object,
    options: pulumi.ComponentResourceOptions | undefined,
    classes: Classes,
  ) {
    super(componentToken(type), name, {}, options);
    noteNeeds(this, {}, options ?? {});
    const component = COMPONENTS.find((one) => one.type === type);
    if (!component) throw new Error(`There is no component ${type}`);
    const mistakes = mistakesInComponent(component, args as Properties);
    if (mistakes.length > 0) throw new pulumi.RunError(`${name}: ${mistakes.join("; ")}`);
    const outputs = component.declare<DeclaredChild>(
      name,
      args as Properties,
      (kind, childName, inputs, after) => {
        const Class = classes[kind];
        if (!Class) throw new Error(`There is no class ${kind}`);
        const dependsOn = after?.map(({ resource }) => resource) ?? [];
        return new DeclaredChild(new Class(childName, inputs as never, { parent: this, dependsOn }));
      },
    );
    Object.assign(this, outputs);
    this.registerOutputs(outputs);
  }
}

class DeclaredChild implements Child {
  constructor(readonly resource: pulumi.CustomResource) {}

  output = (name: string): unknown => (this.resource as unknown as Properties)[name];
}
