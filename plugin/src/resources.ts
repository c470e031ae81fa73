import {
  type CheckRequest,
  CheckResponse,
  type CreateRequest,
  CreateResponse,
  type DeleteRequest,
  type DiffRequest,
  DiffResponse,
  PropertyDiff,
  type ReadRequest,
  ReadResponse,
  type UpdateRequest,
  UpdateResponse,
} from "@pulumi/pulumi/proto/provider_pb";
import { type Difference, intentOf, type Properties, recordedOf, same } from "@tunnelplane/pulumi/core";
import {
  isPartly,
  type Operation,
  partialFailureIn,
  type Steps,
  stateBackend,
} from "@tunnelplane/pulumi/operation";
import { formatPath, messageOf, withArticle } from "@tunnelplane/sdk/contract";
import { UNKNOWN } from "@tunnelplane/sdk/node";
import type { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { failureOf, PartialFailure } from "./failure";
import { StepsByType, secretsOf } from "./types";
import { isUnknown, received, sent } from "./values";

/**
 * The answer to a read without a server: the recorded state. Without an id the engine would take the object
 * for deleted.
 */
export const asRecorded = (request: ReadRequest): ReadResponse =>
  new ReadResponse()
    .setId(request.getId())
    .setProperties(request.getProperties())
    .setInputs(request.getInputs());

/** Answers the engine's questions about resources, in one operation. */
export class Resources {
  readonly #types: StepsByType;
  /**
   * The objects that this run imports, as they were read, by URN. Their inputs are the program's only after
   * the next check.
   */
  readonly #imported = new Map<string, { readonly outputs: Properties; readonly inputs: Properties }>();
  /** Objects that this run will replace, by URN. */
  readonly #replaced = new Map<string, { readonly id: string; readonly recorded: Properties }>();

  constructor(private readonly operation: Operation) {
    this.#types = new StepsByType(operation);
  }

  async check(request: CheckRequest): Promise<CheckResponse> {
    const [urn, steps] = this.#about(request);
    const [olds, news] = [received(request.getOlds()), received(request.getNews())];
    const imported = this.#imported.get(urn);
    const recorded = imported
      ? recordedOf(steps.lifecycle.definition, imported.outputs, news.values)
      : olds.values;
    const isReplacement = this.operation.isReplacement(urn, Object.keys(olds.values).length === 0);
    const { inputs, problems } = await steps.preview.check(urn, recorded, news.values, isReplacement);
    return new CheckResponse()
      .setInputs(sent(inputs, [...news.secrets, ...secretsOf(steps)]))
      .setFailuresList(problems.map(failureOf));
  }

  async diff(request: DiffRequest): Promise<DiffResponse> {
    const [urn, steps] = this.#about(request);
    const news = received(request.getNews()).values;
    const recorded = this.#recordedOf(urn, steps, request, news);
    const declared = received(request.getOldInputs() ?? request.getOlds()).values;
    const { changes, replaces, moves } = await steps.preview.plan(
      request.getId(),
      recorded,
      news,
      urn,
      intentOf(stateBackend(process.env), urn),
    );
    // The engine records the inputs that were read. An update, without a request, records those of the
    // program.
    const imported = this.#imported.get(urn);
    const isOther = isPartly(recorded) || (imported !== undefined && !same(imported.inputs, news));
    if (imported) await this.operation.host.inform(adoptionOf(steps, request.getId(), changes), urn);
    if (replaces.length > 0 && !moves) this.#replaced.set(urn, { id: request.getId(), recorded });
    const response = new DiffResponse()
      .setChanges(
        changes || moves || isOther ? DiffResponse.DiffChanges.DIFF_SOME : DiffResponse.DiffChanges.DIFF_NONE,
      )
      .setReplacesList([...replaces])
      .setHasdetaileddiff(true);
    const details = steps.lifecycle.details(recorded, news);
    response.setDiffsList([...new Set(details.map(({ path }) => String(path[0])))]);
    for (const difference of details) {
      const name = String(difference.path[0]);
      const kind = kindOf(difference, replaces.includes(name));
      const ofInputs = !same(declared[name], news[name]);
      response
        .getDetaileddiffMap()
        .set(formatPath(difference.path), new PropertyDiff().setKind(kind).setInputdiff(ofInputs));
    }
    return response;
  }

  async create(request: CreateRequest): Promise<CreateResponse> {
    const [urn, steps] = this.#about(request);
    const { values, secrets } = received(request.getProperties());
    const answer = (outputs: Properties) => sent(outputs, [...secrets, ...secretsOf(steps)]);
    const intent = intentOf(stateBackend(process.env), urn);
    if (request.getPreview()) {
      const replaced = this.#replaced.get(urn);
      await this.#expect(urn, steps, () =>
        steps.preview.dryRun(urn, replaced?.id, replaced?.recorded ?? {}, values, intent),
      );
      return new CreateResponse().setProperties(
        answer(steps.lifecycle.expectedOutputs(undefined, values, isUnknown, UNKNOWN)),
      );
    }
    return partly(answer, async () => {
      const { id, outputs } = await steps.run.create(urn, intent, values);
      return new CreateResponse().setId(id).setProperties(answer(outputs));
    });
  }

  async read(request: ReadRequest): Promise<ReadResponse> {
    const [urn, steps] = this.#about(request);
    if (!this.operation.knowsServer) return asRecorded(request);
    const [outputs, inputs] = [received(request.getProperties()), received(request.getInputs())];
    const isRecorded = Object.keys(outputs.values).length > 0;
    const { definition } = steps.lifecycle;
    const recorded =
      Object.keys(inputs.values).length > 0 && !isPartly(outputs.values)
        ? recordedOf(definition, outputs.values, inputs.values)
        : outputs.values;
    const found = await steps.run.read(request.getId(), recorded);
    if (!found && isRecorded) return new ReadResponse();
    if (!found)
      throw new Error(
        `there is no ${definition.title} ${request.getId()}, or this API key may not see it; look at the id (${withArticle(definition.title)} has one that begins with ${definition.idPrefix}_)`,
      );
    if (!isRecorded) this.#imported.set(urn, found);
    const secrets = [...outputs.secrets, ...inputs.secrets, ...secretsOf(steps)];
    return new ReadResponse()
      .setId(request.getId())
      .setProperties(sent(found.outputs, secrets))
      .setInputs(sent(isRecorded ? found.inputs : steps.lifecycle.withoutDefaults(found.inputs), secrets));
  }

  async update(request: UpdateRequest): Promise<UpdateResponse> {
    const [urn, steps] = this.#about(request);
    const { values, secrets } = received(request.getNews());
    const recorded = this.#recordedOf(urn, steps, request, values);
    const answer = (outputs: Properties) => sent(outputs, [...secrets, ...secretsOf(steps)]);
    const id = request.getId();
    if (request.getPreview()) {
      await this.#expect(urn, steps, () => steps.preview.dryRun(urn, id, recorded, values));
      return new UpdateResponse().setProperties(
        answer(steps.lifecycle.expectedOutputs(recorded, values, isUnknown, UNKNOWN)),
      );
    }
    return partly(answer, async () =>
      new UpdateResponse().setProperties(answer(await steps.run.update(urn, id, recorded, values))),
    );
  }

  async delete(request: DeleteRequest): Promise<void> {
    const [urn, steps] = this.#about(request);
    const intent = intentOf(stateBackend(process.env), urn);
    await steps.run.delete(request.getId(), received(request.getProperties()).values, intent);
  }

  #about(request: { getUrn(): string }): [urn: string, steps: Steps] {
    const urn = request.getUrn();
    return [urn, this.#types.of(urn)];
  }

  #recordedOf(
    urn: string,
    { lifecycle }: Steps,
    request: DiffRequest | UpdateRequest,
    news: Properties,
  ): Properties {
    const olds = received(request.getOlds()).values;
    const inputs = received(request.getOldInputs()).values;
    const isByInputs = Object.keys(inputs).length > 0 && !isPartly(olds);
    const declared = this.#imported.has(urn) ? news : isByInputs ? inputs : olds;
    return recordedOf(lifecycle.definition, olds, declared);
  }

  /** In a preview: fails with the reason for which the run would fail. */
  async #expect(urn: string, steps: Steps, rehearse: () => Promise<void>): Promise<void> {
    await this.operation.warnOfMissingKey(urn);
    const [refusal] = await steps.kind.refusals(urn);
    if (refusal !== undefined) throw new Error(refusal);
    await rehearse();
  }
}

/** Runs a step; one that may have been done in part fails with the state that the engine records. */
async function partly<T>(answer: (properties: Properties) => Struct, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    const found = partialFailureIn(error)?.object;
    if (!found) throw error;
    const { id, outputs, inputs } = found;
    throw new PartialFailure(messageOf(error), { id, outputs: answer(outputs), inputs: answer(inputs) });
  }
}

/** The message about an object that a run imports. */
const adoptionOf = ({ lifecycle }: Steps, id: string, changes: boolean): string =>
  `adopts the ${lifecycle.definition.title} ${id}, which exists: the run changes ${changes ? "what differs there" : "nothing on the server"}`;

function kindOf({ actual, declared }: Difference, replaces: boolean): PropertyDiff.Kind {
  const { Kind } = PropertyDiff;
  if (actual == null) return replaces ? Kind.ADD_REPLACE : Kind.ADD;
  if (declared == null) return replaces ? Kind.DELETE_REPLACE : Kind.DELETE;
  return replaces ? Kind.UPDATE_REPLACE : Kind.UPDATE;
}
