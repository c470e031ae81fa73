import {
  camelCase,
  camelCaseMessage,
  camelCasePath,
  checkWarnings,
  createSchema,
  type Definition,
  endFieldOf,
  fieldsWhere,
  formatPath,
  type Problem,
  partsOf,
  validateCreate,
  wireNamesIn,
} from "@tunnelplane/sdk/contract";
import type { Finding } from "@tunnelplane/sdk/meaning";
import type { ChangeWarning } from "@tunnelplane/sdk/warnings";
import { refusalToAdopt } from "./adoption";
import { consequencesOf, inWords, isSaid } from "./consequences";
import { endWarnings } from "./ends";
import { expectedOutputs } from "./expectedOutputs";
import { withPlainId } from "./joinedIds";
import { endOfNew, isRenewed, withEnd } from "./renewal";
import { type Change, findingsIn, type ResourceTarget, type Wire } from "./target";
import {
  type Difference,
  differences,
  holdsUnknown,
  type Properties,
  same,
  toProperties,
  toWire,
  withChosen,
  withoutAddresses,
  withoutDefaults,
} from "./values";

/** Whether a value is not known before the run. */
export type IsUnknown = (value: unknown) => boolean;

/** The result of a check. Problems and warnings are sentences that name the property. */
export interface Checked {
  readonly inputs: Properties;
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

/** How a change will be carried out. */
export interface Plan {
  /** Whether anything differs. */
  readonly changes: boolean;
  /** Properties whose change requires a new object. */
  readonly replaces: readonly string[];
  /** Whether old and new have a unique value in common, which the server hands over. */
  readonly takesOver: boolean;
  /** Why something changes though no declared property does. */
  readonly reasons: readonly string[];
  /** What else a preview says of the change. */
  readonly notes?: readonly string[];
}

/** What a program declares of a resource, beside what was recorded of it. Needs no server. */
export class Declaration {
  constructor(protected readonly target: ResourceTarget) {}

  get definition(): Definition {
    return this.target.definition;
  }

  /**
   * Validates the declared properties and fills in the defaults. Needs no server.
   *
   * @param recorded the properties declared before, with their defaults; empty for a new resource
   * @param name of the resource, for warnings
   */
  check(recorded: Properties, declared: Properties, isUnknown: IsUnknown, name?: string): Checked {
    const { definition } = this.target;
    const schema = createSchema(definition);
    const misspelled = wireNamesIn(schema, declared);
    const wireNames = misspelled.map(
      (path) =>
        `${formatPath(path)} is not a property here; did you mean \`${camelCase(String(path.at(-1)))}\`?`,
    );
    const pathOf = (path: readonly PropertyKey[]) => formatPath(camelCasePath(schema, path));
    const refused = new Set(misspelled.map(pathOf));
    const { wire, mistake } = withPlainId(definition, toWire(definition, declared));
    const { value, problems } = validateCreate(definition, wire, isUnknown);
    const textOf = ({ path, message }: Problem) => `${pathOf(path)} ${camelCaseMessage(message)}`;
    // Where a property has both spellings, the wrong one is the mistake.
    const others = problems.filter(({ path }) => !refused.has(pathOf(path))).map(textOf);
    const mistakes = [...wireNames, ...others, ...(mistake === undefined ? [] : [mistake])];
    if (mistakes.length > 0) return { inputs: declared, problems: mistakes, warnings: [] };
    const before = toWire(definition, recorded);
    const inputs = toProperties(definition, value);
    const warnings = [
      ...(Object.keys(recorded).length === 0 ? endOfNew(definition, inputs, undefined) : []),
      ...endWarnings(definition, before, value, new Date()).map(camelCaseMessage),
      ...checkWarnings(definition, value, isUnknown).map(textOf),
      ...this.#consequences(before, value, isUnknown, name).map(inWords),
    ];
    return {
      inputs,
      problems: [],
      warnings: warnings.map((warning) => `${definition.type}: ${warning}`),
    };
  }

  /** The findings of high severity in the answer to a dry run that the check did not warn of. */
  unsaid(
    answer: Wire | undefined,
    recorded: Properties,
    desired: Properties,
    isUnknown: IsUnknown,
    name?: string,
  ): Finding[] {
    const high = findingsIn(answer).filter(({ severity }) => severity === "high");
    if (high.length === 0) return [];
    const { definition } = this.target;
    const [before, after] = [toWire(definition, recorded), toWire(definition, desired)];
    const warned = this.#consequences(before, after, isUnknown, name);
    return high.filter((finding) => !isSaid(finding, warned));
  }

  /** What a change does, as far as the resource by itself tells it. */
  #consequences(before: Wire, after: Wire, isUnknown: IsUnknown, name?: string): ChangeWarning[] {
    return consequencesOf(this.target, name ?? this.definition.title, before, after, isUnknown);
  }

  /** Inputs without what a check would fill in anyway. */
  withoutDefaults(inputs: Properties): Properties {
    const shortened = withoutDefaults(createSchema(this.target.definition), inputs) as Properties;
    const { inputs: completed, problems } = this.check({}, shortened, () => false);
    return problems.length === 0 && same(completed, inputs) ? shortened : inputs;
  }

  plan(recorded: Properties, desired: Properties, isUnknown: IsUnknown): Plan {
    const { definition } = this.target;
    const { changed, removed } = this.compare(recorded, desired);
    const immutable = fieldsWhere(definition, (marks) => marks.immutable).map(camelCase);
    const replaces = changed.filter((name) => immutable.includes(name));
    const isDue = isRenewed(definition, recorded, desired);
    const ends = (replaces.length > 0 ? endOfNew(definition, desired, recorded) : []).map(
      (end) => `${definition.type}: ${end}`,
    );
    return {
      changes: changed.length + removed.length > 0,
      replaces,
      takesOver:
        replaces.length > 0 && !holdsUnknown(desired, isUnknown) && this.#claimsTheSame(recorded, desired),
      reasons: isDue ? ends : [],
      notes: isDue ? [] : ends,
    };
  }

  /**
   * The differences between declared and recorded properties, as far as they are changes. An unknown value
   * counts as different.
   */
  details(recorded: Properties, desired: Properties): Difference[] {
    const { changed, removed } = this.compare(recorded, desired);
    if (changed.length + removed.length === 0) return [];
    const [before, after] = [
      withoutAddresses(this.target.definition, recorded),
      this.#settled(recorded, this.#withDefaultsInside(desired)),
    ];
    return [...changed, ...removed].flatMap((name) =>
      differences(before[name], after[name], [name], () => false),
    );
  }

  /**
   * The outputs that a run will record, as far as a preview can tell.
   *
   * @param recorded of the object that changes; undefined for a new one
   */
  expectedOutputs(
    recorded: Properties | undefined,
    desired: Properties,
    isUnknown: IsUnknown,
    unknown: unknown,
  ): Properties {
    return expectedOutputs(this.target.definition, { recorded, desired }, isUnknown, unknown);
  }

  /** Why the program may not adopt an existing object; undefined if the object is as declared. */
  refusalToAdopt(
    id: string,
    actual: Properties,
    desired: Properties,
    hidden: readonly string[],
    isUnknown: IsUnknown,
  ): string | undefined {
    const { definition } = this.target;
    return refusalToAdopt(
      definition,
      id,
      {
        actual: withoutAddresses(definition, actual),
        desired: withChosen(definition, desired, actual),
        hidden,
      },
      isUnknown,
    );
  }

  /** The id of the object that a module belongs to, if this is one and the id is known. */
  ownerIn(properties: Properties): string | undefined {
    return this.target.ownerOf?.(toWire(this.target.definition, properties));
  }

  protected changeBetween(recorded: Properties, desired: Properties): Change {
    const { definition } = this.target;
    const { changed, removed } = this.compare(recorded, desired);
    const wire = toWire(definition, withEnd(definition, recorded, desired));
    const wireNames = Object.keys(definition.fields);
    return {
      desired: wire,
      changed: Object.fromEntries(
        wireNames
          .filter((name) => changed.includes(camelCase(name)))
          .map((name) => [name, wire[name] ?? (name === endFieldOf(definition) ? null : undefined)]),
      ),
      removed: wireNames.filter((name) => removed.includes(camelCase(name))),
    };
  }

  protected compare(outputs: Properties, properties: Properties): { changed: string[]; removed: string[] } {
    const { definition } = this.target;
    const recorded = withoutAddresses(definition, outputs);
    const declared = withoutAddresses(definition, properties);
    const desired = this.#settled(recorded, declared);
    const parts = partsOf(definition).map(camelCase);
    const names = Object.keys(definition.fields).map(camelCase);
    const seeming = names.filter((name) => !same(recorded[name], desired[name]));
    const complete =
      seeming.length > 0 ? this.#settled(recorded, this.#withDefaultsInside(declared)) : desired;
    const differing = seeming.filter((name) => !same(recorded[name], complete[name]));
    const clearable = fieldsWhere(definition, (marks) => marks.programOnly || marks.ends).map(camelCase);
    return {
      // A property without a default that the program leaves out was chosen by the server: keep it.
      changed: differing.filter((name) => desired[name] !== undefined || clearable.includes(name)),
      removed: differing.filter((name) => desired[name] === undefined && parts.includes(name)),
    };
  }

  /** Properties with what the server chose for the object. */
  #settled(recorded: Properties, declared: Properties): Properties {
    const { definition } = this.target;
    return withChosen(definition, withEnd(definition, recorded, declared), recorded);
  }

  /**
   * Properties with the defaults inside of them. After an import, the engine compares what it recorded, and
   * that lacks these.
   */
  #withDefaultsInside(properties: Properties): Properties {
    const { inputs, problems } = this.check(properties, properties, () => false);
    if (problems.length > 0) return properties;
    return Object.fromEntries(Object.keys(properties).map((name) => [name, inputs[name]]));
  }

  #claimsTheSame(recorded: Properties, desired: Properties): boolean {
    const { definition } = this.target;
    const keys = (properties: Properties) =>
      definition.unique(toWire(definition, properties)).map(({ scope, key }) => JSON.stringify([scope, key]));
    const held = new Set(keys(recorded));
    return keys(desired).some((key) => held.has(key));
  }
}
