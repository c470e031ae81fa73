import * as pulumi from "@pulumi/pulumi";
import * as dynamic from "@tunnelplane/pulumi";

const { resources } = require("../../plugin/schema.json") as {
  readonly resources: Readonly<
    Record<
      string,
      { readonly properties: object; readonly aliases?: pulumi.Alias[]; readonly isComponent?: true }
    >
  >;
};

export type Classes = typeof dynamic;
/** The classes of the native provider, as a package generated from its schema has them. */
export const native: Classes = { ...dynamic, ...nativeClasses() };

function nativeClasses(): Partial<Classes> {
  const classes = Object.entries(resources).map(([token, { properties, aliases = [], isComponent }]) => {
    const undeclared = Object.fromEntries(Object.keys(properties).map((name) => [name, undefined]));
    class Native extends pulumi.CustomResource {
      constructor(name: string, args: object = {}, options: pulumi.CustomResourceOptions = {}) {
        super(token, name, { ...undeclared, ...args }, pulumi.mergeOptions({ aliases }, options));
      }
    }
    class NativeComponent extends pulumi.ComponentResource {
      constructor(name: string, args: object, options?: pulumi.ComponentResourceOptions) {
        super(token, name, { ...undeclared, ...args }, options, true);
      }
    }
    return [token.split(":")[2], isComponent ? NativeComponent : Native];
  });
  class Provider extends pulumi.ProviderResource {
    constructor(
      name: string,
      { validateOnServer, ...args }: dynamic.AccountArgs = {},
      options?: pulumi.ResourceOptions,
    ) {
      super(
        "tunnelplane",
        name,
        { ...args, validateOnServer: validateOnServer && pulumi.jsonStringify(validateOnServer) },
        options,
      );
    }
  }
  return { ...Object.fromEntries(classes), Account: Provider as unknown as typeof dynamic.Account };
}

export const PROVIDERS = { dynamic, native } as const;
export type Name = keyof typeof PROVIDERS;
export const NAMES = Object.keys(PROVIDERS) as Name[];

/** A program in which each provider declares the same. */
export const everywhere = (declare: (provider: Name, tunnels: Classes) => void) => async () => {
  for (const name of NAMES) declare(name, PROVIDERS[name]);
};

/** A `describe` for each provider, because no promise may depend on which of them a program uses. */
export function onEveryProvider(
  title: string,
  tests: (this: Mocha.Suite, tunnels: Classes, provider: Name) => void,
): void {
  for (const provider of NAMES)
    describe(`${title} (${provider} provider)`, function () {
      tests.call(this, PROVIDERS[provider], provider);
    });
}
