import { credentials } from "@grpc/grpc-js";
import { Alias } from "@pulumi/pulumi/proto/alias_pb";
import type { ConstructRequest } from "@pulumi/pulumi/proto/provider_pb";
import { ConstructResponse } from "@pulumi/pulumi/proto/provider_pb";
import { ResourceMonitorClient } from "@pulumi/pulumi/proto/resource_grpc_pb";
import type { RegisterResourceResponse } from "@pulumi/pulumi/proto/resource_pb";
import { RegisterResourceOutputsRequest, RegisterResourceRequest } from "@pulumi/pulumi/proto/resource_pb";
import {
  type Child,
  COMPONENTS,
  type Component,
  componentToken,
  mistakesInComponent,
  type Properties,
} from "@tunnelplane/pulumi/core";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { PACKAGE, tokenOf } from "./types";
import { holdsUnknown, received, sent, UNKNOWN } from "./values";

const UNLIMITED = { "grpc.max_receive_message_length": -1, "grpc.max_send_message_length": -1 };

/**
 * Declares a component with its children, through the engine that asks for it.
 *
 * @param provider the reference of the provider that is asked, for children of programs that name none
 */
export async function construct(request: ConstructRequest, provider: string): Promise<ConstructResponse> {
  const component = COMPONENTS.find(({ type }) => componentToken(type) === request.getType());
  if (!component)
    throw new Error(
      `There is no component ${request.getType()} in this version; there are ${COMPONENTS.map(({ type }) => type).join(", ")}`,
    );
  const args = argsOf(component, request.getInputs());
  const mistakes = mistakesInComponent(component, args);
  if (mistakes.length > 0) throw new Error(`${request.getName()}: ${mistakes.join("; ")}`);
  const client = new ResourceMonitorClient(
    request.getMonitorendpoint(),
    credentials.createInsecure(),
    UNLIMITED,
  );
  try {
    return await new Construction(client, request, provider).run(component, args);
  } finally {
    client.close();
  }
}

/** The inputs in the engine's wrappings, which children get as they are; those that name children without. */
function argsOf({ inputs }: Component, struct: Struct | undefined): Properties {
  const { values, secrets } = received(struct);
  const wrapped: Properties = struct?.toJavaScript() ?? {};
  const plain = (name: string): unknown =>
    holdsUnknown(values[name]) || secrets.some(([first]) => first === name) ? {} : values[name];
  return Object.fromEntries(
    Object.entries(wrapped).map(([name, value]) => [
      name,
      Object.hasOwn(inputs, name) && inputs[name]?.known ? plain(name) : value,
    ]),
  );
}

/** An output of a child that may not exist yet. */
class Reference {
  constructor(
    readonly child: Declared,
    readonly name: string,
  ) {}
}

/** A child whose registration is in flight. */
class Declared implements Child {
  constructor(readonly made: Promise<RegisterResourceResponse>) {}

  output = (name: string): Reference => new Reference(this, name);

  /** An output as the engine has it; unknown in the preview of its creation. */
  async value(name: string): Promise<unknown> {
    const made = await this.made;
    if (name === "id") return made.getId() || UNKNOWN;
    const outputs: Properties = made.getObject()?.toJavaScript() ?? {};
    return outputs[name] ?? UNKNOWN;
  }
}

class Construction {
  constructor(
    private readonly client: ResourceMonitorClient,
    readonly request: ConstructRequest,
    private readonly provider: string,
  ) {}

  async run(component: Component, args: Properties): Promise<ConstructResponse> {
    const { request } = this;
    const own = this.#registration(componentToken(component.type), request.getName())
      .setParent(request.getParent())
      .setAliasesList(request.getAliasesList())
      .setDependenciesList(request.getDependenciesList());
    for (const [name, reference] of request.getProvidersMap().entries())
      own.getProvidersMap().set(name, reference);
    const urn = (await this.#register(own)).getUrn();
    const children: Declared[] = [];
    const declared = component.declare<Declared>(request.getName(), args, (type, name, inputs, after) => {
      const child = new Declared(this.#child(urn, type, name, inputs, after ?? []));
      children.push(child);
      return child;
    });
    const ends = await Promise.allSettled(children.map(({ made }) => made)); // none may outlive the answer
    for (const end of ends) if (end.status === "rejected") throw end.reason;
    const outputs = Struct.fromJavaScript((await resolved(declared, [])) as Wire);
    await this.#registerOutputs(new RegisterResourceOutputsRequest().setUrn(urn).setOutputs(outputs));
    const response = new ConstructResponse().setUrn(urn).setState(outputs);
    const urns = ends.flatMap((end) => (end.status === "fulfilled" ? [end.value.getUrn()] : []));
    for (const name of Object.keys(declared))
      response
        .getStatedependenciesMap()
        .set(name, new ConstructResponse.PropertyDependencies().setUrnsList(urns));
    return response;
  }

  async #child(
    parent: string,
    type: string,
    name: string,
    inputs: Properties,
    after: readonly Declared[],
  ): Promise<RegisterResourceResponse> {
    const { request } = this;
    const others: Declared[] = [...after];
    const object = await resolved(inputs, others);
    const before = await Promise.all(others.map(({ made }) => made));
    // What the inputs come from, and what the component waits for, exists before each of its children.
    const given = [...request.getInputdependenciesMap().entries()].flatMap(([, urns]) => urns.getUrnsList());
    const registration = this.#registration(tokenOf(type), name)
      .setCustom(true)
      .setParent(parent)
      .setProvider(request.getProvidersMap().get(PACKAGE) ?? this.provider)
      .setObject(sent(object as Properties, []))
      .setDependenciesList([
        ...new Set([
          ...request.getDependenciesList(),
          ...given,
          ...before.map((response) => response.getUrn()),
        ]),
      ])
      // A stack of the dynamic provider moves over, see docs/native.md.
      .setAliasesList([
        new Alias().setSpec(new Alias.Spec().setType(`pulumi-nodejs:dynamic/tunnelplane:${type}`)),
      ]);
    return this.#register(registration);
  }

  #registration(type: string, name: string): RegisterResourceRequest {
    const { request } = this;
    const registration = new RegisterResourceRequest()
      .setType(type)
      .setName(name)
      .setAcceptsecrets(true)
      .setAliasspecs(true)
      .setSupportspartialvalues(true)
      .setParentstacktracehandle(request.getStackTraceHandle())
      .setDeletedwith(request.getDeletedwith());
    if (request.hasProtect()) registration.setProtect(request.getProtect() ?? false);
    if (request.hasRetainondelete()) registration.setRetainondelete(request.getRetainondelete() ?? false);
    return registration;
  }

  #register = (registration: RegisterResourceRequest): Promise<RegisterResourceResponse> =>
    new Promise((resolve, reject) =>
      this.client.registerResource(registration, (error, response) =>
        error ? reject(error) : resolve(response),
      ),
    );

  #registerOutputs = (outputs: RegisterResourceOutputsRequest): Promise<void> =>
    new Promise((resolve, reject) =>
      this.client.registerResourceOutputs(outputs, (error) => (error ? reject(error) : resolve())),
    );
}

type Wire = Parameters<typeof Struct.fromJavaScript>[0];

/** A value with the outputs that it refers to; their resources are added to a list. */
async function resolved(value: unknown, children: Declared[]): Promise<unknown> {
  if (value instanceof Reference) {
    children.push(value.child);
    return value.child.value(value.name);
  }
  if (Array.isArray(value)) return Promise.all(value.map((item) => resolved(item, children)));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(
    async ([name, item]) => [name, await resolved(item, children)] as const,
  );
  return Object.fromEntries(await Promise.all(entries));
}
