import {
  type CheckRequest,
  CheckResponse,
  type CreateRequest,
  CreateResponse,
  type DeleteRequest,
  type DiffRequest,
  DiffResponse,
  type ReadRequest,
  ReadResponse,
  type UpdateRequest,
  UpdateResponse,
} from "@pulumi/pulumi/proto/provider_pb";
import { intentOf, type Properties, same } from "@tunnelplane/pulumi/core";
import { nameIn, type Operation, stateBackend } from "@tunnelplane/pulumi/operation";
import { type DeclaredSet, type RecordedSet, SetSteps } from "@tunnelplane/pulumi/sets";
import { readCatalogue, setObjectsOf, type Tags } from "@tunnelplane/sdk/catalogue";
import { definitionNamed, isObject, messageOf, secretPathsOf } from "@tunnelplane/sdk/contract";
import { UNKNOWN } from "@tunnelplane/sdk/node";
import { failureOf } from "./failure";
import { asRecorded } from "./resources";
import { asSecret, holdsUnknown, isUnknown, type Path, received, sent } from "./values";

/** The properties that a program declares. */
const INPUTS = ["file", "set", "values"];
/** The results, which only the run knows. */
const RESULTS = { ids: UNKNOWN, tokens: UNKNOWN, digest: UNKNOWN };
const SECRETS: readonly Path[] = [["tokens"]];

/** Answers the engine's questions about resources that are whole catalogues, in one operation. */
export class CatalogueSets {
  readonly #steps: SetSteps;

  constructor(private readonly operation: Operation) {
    this.#steps = new SetSteps(operation);
  }

  async check(request: CheckRequest): Promise<CheckResponse> {
    const { values: news, secrets } = received(request.getNews());
    const inputs = { ...news, set: news.set ?? nameIn(request.getUrn()) };
    const answer = (objects: unknown, found: readonly Path[] = []) =>
      new CheckResponse().setInputs(sent({ ...inputs, objects }, [...secrets, ...found]));
    const refused = (reason: string) => new CheckResponse().setFailuresList([failureOf(reason)]);
    const mistake = mistakeIn(inputs);
    if (mistake !== undefined) return refused(mistake);
    if (holdsUnknown(inputs)) return answer(UNKNOWN);
    const tags = tagsFor(isObject(news.values) ? news.values : {});
    let read: ReturnType<typeof readCatalogue>;
    try {
      read = readCatalogue(String(news.file), tags);
    } catch (error) {
      return refused(messageOf(error));
    }
    const { entries, links, project } = read;
    const { project: chosen, knowsServer } = this.operation;
    if (project !== undefined && knowsServer && project !== chosen)
      return refused(
        `${news.file} is for the project ${project}, and this provider works in ${chosen ?? "that of its API key"}: hand the resource a Provider with \`project\`, or remove it from the file`,
      );
    const objects = Object.fromEntries(
      setObjectsOf(entries, links).map(({ kind, key, fields = {} }) => [`${kind}/${key}`, fields]),
    );
    return answer(objects, secretsIn(objects));
  }

  async diff(request: DiffRequest): Promise<DiffResponse> {
    const { values: olds } = received<RecordedSet>(request.getOlds());
    const { values: before } = received(request.getOldInputs());
    const { values: news } = received<DeclaredSet>(request.getNews());
    const { DIFF_SOME, DIFF_NONE, DIFF_UNKNOWN } = DiffResponse.DiffChanges;
    const moves = await this.#steps.movesHere(olds, request.getUrn());
    if (olds.set !== news.set)
      return new DiffResponse()
        .setChanges(DIFF_SOME)
        .setReplacesList(["set"])
        .setDiffsList(["set"])
        .setDeletebeforereplace(true);
    if (moves) return new DiffResponse().setChanges(DIFF_SOME).setReplacesList(["provider"]);
    // Where the inputs differ, the engine itself compares them, and so shows each property.
    if (!same(before.objects, news.objects)) return new DiffResponse().setChanges(DIFF_UNKNOWN);
    const isDrifted = ((await this.#steps.plan(news, olds)) ?? 0) > 0;
    return new DiffResponse().setChanges(isDrifted ? DIFF_SOME : DIFF_NONE);
  }

  async create(request: CreateRequest): Promise<CreateResponse> {
    const { values: declared, secrets } = received<DeclaredSet>(request.getProperties());
    const answer = (results: object) => outputsOf(declared, results, secrets);
    if (request.getPreview()) {
      await this.#preview(request.getUrn(), declared, { ids: {} });
      return new CreateResponse().setProperties(answer(RESULTS));
    }
    const recorded = await this.#steps.create(declared, this.#intentOf(request.getUrn()));
    return new CreateResponse().setId(declared.set).setProperties(answer(recorded));
  }

  async read(request: ReadRequest): Promise<ReadResponse> {
    const outputs = received<RecordedSet>(request.getProperties());
    const inputs = received(request.getInputs());
    if (Object.keys(outputs.values).length === 0)
      throw new Error(
        "a CatalogueSet cannot be imported, because its file says what belongs to it; to take over an object, send it once with its `id` in POST /changesets",
      );
    if (!this.operation.knowsServer) return asRecorded(request);
    const found = await this.#steps.read(outputs.values);
    if (!found) return new ReadResponse();
    return new ReadResponse()
      .setId(request.getId())
      .setProperties(sent({ ...found }, [...outputs.secrets, ...SECRETS]))
      .setInputs(sent(inputs.values, inputs.secrets));
  }

  async update(request: UpdateRequest): Promise<UpdateResponse> {
    const { values: recorded } = received<RecordedSet>(request.getOlds());
    const { values: declared, secrets } = received<DeclaredSet>(request.getNews());
    const answer = (results: object) =>
      new UpdateResponse().setProperties(outputsOf(declared, results, secrets));
    if (request.getPreview()) {
      await this.#preview(request.getUrn(), declared, recorded);
      return answer(RESULTS);
    }
    return answer(await this.#steps.update(recorded, declared, this.#intentOf(request.getUrn())));
  }

  delete(request: DeleteRequest): Promise<void> {
    return this.#steps.delete(received<RecordedSet>(request.getProperties()).values);
  }

  #intentOf = (urn: string): string => intentOf(stateBackend(process.env), urn);

  /** Has the server plan, and shows the change of each object. */
  async #preview(urn: string, declared: DeclaredSet, recorded: Pick<RecordedSet, "ids">): Promise<void> {
    await this.operation.warnOfMissingKey(urn);
    if (!isUnknown(declared.objects)) await this.#steps.plan(declared, recorded, { of: urn });
  }
}

/** The outputs of the state; the objects are only in the inputs. */
const outputsOf = ({ objects, ...inputs }: DeclaredSet, results: object, secrets: readonly Path[]) =>
  sent({ ...inputs, ...results }, [...secrets, ...SECRETS]);

function mistakeIn(inputs: Properties): string | undefined {
  const unknown = Object.keys(inputs).find((name) => !INPUTS.includes(name));
  if (unknown !== undefined)
    return `${unknown} is not a property of a CatalogueSet; accepted: ${INPUTS.map((name) => `\`${name}\``).join(", ")}`;
  for (const name of ["file", "set"]) {
    if (typeof inputs[name] !== "string" || inputs[name] === "")
      return `${name} must be a string that is not empty`;
  }
  const { values = {} } = inputs;
  const isMap =
    isUnknown(values) || (typeof values === "object" && values !== null && !Array.isArray(values));
  return isMap ? undefined : "values must be a map of strings";
}

/**
 * Only the program can read the stack's configuration, so it passes on the values that the catalogue asks
 * for.
 */
function tagsFor(values: Properties): Tags {
  const given = (name: string): string => {
    if (typeof values[name] !== "string")
      throw new Error(`is not among the \`values\` of the CatalogueSet: add \`${name}\``);
    return values[name];
  };
  return {
    "!config": given,
    "!secret": (name) => {
      const value = given(name);
      return () => asSecret(value);
    },
  };
}

/** The paths of secrets in objects, by the contract. */
const secretsIn = (objects: Properties): Path[] =>
  Object.keys(objects).flatMap((name) =>
    secretPathsOf(definitionNamed(name.slice(0, name.indexOf("/")))).map((path) => [
      "objects",
      name,
      ...path.split("."),
    ]),
  );
