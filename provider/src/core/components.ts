/** A property of a component, in the form of Pulumi's package schema. */
interface ComponentProperty {
  readonly type?: "string" | "array";
  readonly items?: { readonly type: "string" };
  readonly $ref?: string;
  readonly description: string;
  /** Whether the program must know the value when it runs, because children are named after it. */
  readonly known?: true;
  /** Whether it may be left out. */
  readonly optional?: true;
}

/** A child that a component declared: its outputs by name, `id` among them. */
export interface Child {
  output(name: string): unknown;
}

/** Declares a child, as the host of a program does. */
export type DeclareChild<C extends Child> = (
  type: string,
  name: string,
  inputs: Readonly<Record<string, unknown>>,
  after?: readonly C[],
) => C;

type Args = Readonly<Record<string, unknown>>;

/** Several resources that people declare together, in every language of Pulumi. */
export interface Component {
  readonly type: string;
  readonly title: string;
  readonly doc: string;
  readonly inputs: Readonly<Record<string, ComponentProperty>>;
  readonly outputs: Readonly<Record<string, ComponentProperty>>;
  /** Inputs of its example, in the words of the schema. */
  readonly example: Args;
  /** Declares its children. @returns its outputs */
  declare<C extends Child>(name: string, args: Args, child: DeclareChild<C>): Record<string, unknown>;
}

const INPUTS = {
  hostports: {
    type: "array",
    items: { type: "string" },
    description: "Where it is served, each `<host>:<port>`. No two edges may serve the same one.",
  },
  label: {
    type: "string",
    description:
      "Agents bind with the label `tunnel` of this value, and the credential admits only that. Default: the name of the resource. Two of the same project need different ones.",
    known: true,
    optional: true,
  },
} as const satisfies Component["inputs"];

const OUTPUTS = {
  authtoken: {
    type: "string",
    description: "The authtoken with which agents start tunnels here. Secret.",
  },
  credentialId: { type: "string", description: "The id of the tunnel credential." },
  backendId: { type: "string", description: "The id of the backend: the tunnels with the label." },
  edgeId: { type: "string", description: "The id of the HTTPS edge." },
  routeId: { type: "string", description: "The id of the route, which takes all paths." },
} as const satisfies Component["outputs"];

/** What both components have: a credential, a backend of its tunnels, an edge, and a route with modules. */
function served<C extends Child>(name: string, args: Args, child: DeclareChild<C>, modules: Args) {
  const label = args.label ?? name;
  const credential = child("TunnelCredential", name, { description: name, acl: [`bind:tunnel=${label}`] });
  const backend = child("TunnelGroupBackend", name, { description: name, labels: { tunnel: label } });
  const edge = child("HttpsEdge", name, { description: name, hostports: args.hostports });
  const route = child("HttpsEdgeRoute", name, {
    description: name,
    edgeId: edge.output("id"),
    matchType: "path_prefix",
    match: "/",
    backend: { backendId: backend.output("id") },
    ...modules,
  });
  const outputs = {
    authtoken: credential.output("token"),
    credentialId: credential.output("id"),
    backendId: backend.output("id"),
    edgeId: edge.output("id"),
    routeId: route.output("id"),
  };
  return { route, outputs };
}

const TUNNEL: Component = {
  type: "Tunnel",
  title: "a tunnel for some networks",
  doc: "A tunnel that some networks reach: a tunnel credential, a backend of the tunnels that agents start with it, an HTTPS edge, and a route for all paths with an IP policy.",
  inputs: {
    ...INPUTS,
    networks: {
      type: "array",
      items: { type: "string" },
      description:
        "The networks whose callers are let in, in CIDR notation: a rule of the IP policy for each. Empty: nobody is. Known before the run, because the rules are named by them.",
      known: true,
    },
  },
  outputs: { ...OUTPUTS, ipPolicyId: { type: "string", description: "The id of the IP policy." } },
  example: { hostports: ["app.example.com:443"], networks: ["192.0.2.0/24"] },
  declare(name, args, child) {
    const policy = child("IpPolicy", name, { description: name });
    const ipPolicyId = policy.output("id");
    for (const cidr of new Set(args.networks as string[]))
      child("IpPolicyRule", `${name}-${cidr}`, { ipPolicyId, cidr, action: "allow" });
    const { outputs } = served(name, args, child, { ipRestriction: { ipPolicyIds: [ipPolicyId] } });
    return { ...outputs, ipPolicyId };
  },
};

const PROTECTED_SITE: Component = {
  type: "ProtectedSite",
  title: "a site behind a sign-in",
  doc: "A site that nobody reaches without signing in: a tunnel credential, a backend of the tunnels that agents start with it, an HTTPS edge, a route for all paths with a sign-in, and a guarantee, which refuses each change that would open it.",
  inputs: {
    ...INPUTS,
    oidc: {
      $ref: "#/types/tunnelplane:index:HttpsEdgeRouteOidcModule",
      description: "How users sign in: the `oidc` module of the route.",
    },
  },
  outputs: { ...OUTPUTS, guaranteeId: { type: "string", description: "The id of the guarantee." } },
  example: {
    hostports: ["wiki.example.com:443"],
    oidc: { issuer: "https://id.example.com", clientId: "wiki", clientSecret: "the-client-secret" },
  },
  declare(name, args, child) {
    const { route, outputs } = served(name, args, child, { oidc: args.oidc });
    const guarantee = child(
      "Guarantee",
      name,
      {
        description: `nobody reaches ${name} without signing in`,
        expect: "refused",
        addresses: args.hostports,
        session: "none",
      },
      [route], // made last and deleted first, as the server judges each step
    );
    return { ...outputs, guaranteeId: guarantee.output("id") };
  },
};

export const COMPONENTS: readonly Component[] = [TUNNEL, PROTECTED_SITE];

/** The engine's name of a component's type, the same with both providers. */
export const componentToken = (type: string): string => `tunnelplane:index:${type}`;

/** What is wrong with the arguments of a component, before its children look at their own. */
export function mistakesInComponent({ type, inputs }: Component, args: Args): string[] {
  const accepted = Object.keys(inputs).map((name) => `\`${name}\``);
  const unknown = Object.keys(args).filter((name) => !Object.hasOwn(inputs, name));
  const isText = (value: unknown) => typeof value === "string";
  return [
    ...unknown.map((name) => `${name} is not a property of ${type}; accepted: ${accepted.join(", ")}`),
    ...Object.entries(inputs).flatMap(([name, { type: kind, known, optional }]) => {
      const value = Object.hasOwn(args, name) ? args[name] : undefined;
      if (value === undefined || value === null) return optional ? [] : [`${name} is missing in ${type}`];
      if (!known) return [];
      const isRight = kind === "array" ? Array.isArray(value) && value.every(isText) : isText(value);
      const expected = kind === "array" ? "a list of texts" : "a text";
      return isRight
        ? []
        : [`${name} of ${type} must be ${expected} that the program knows when it runs, and no secret`];
    }),
  ];
}
