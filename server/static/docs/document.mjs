/** The OpenAPI document of this server, in the form in which the pages need it. */
export class ApiDocument {
  #schemas;
  #parameters;

  constructor({ info, tags, paths, components }) {
    this.info = info;
    this.#schemas = components.schemas;
    this.#parameters = components.parameters;
    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => this.#operation(path, method, operation)),
    );
    this.resources = tags.map(({ name, description, "x-displayName": title }) => ({
      name,
      description,
      title: title ?? inWords(name),
      operations: operations.filter(({ tag }) => tag === name),
    }));
  }

  #operation(path, method, { operationId, tags, summary, description, parameters, ...rest }) {
    const content = Object.entries(rest.requestBody?.content ?? {})[0];
    const [status, answer] = Object.entries(rest.responses)[0];
    return {
      id: operationId,
      tag: tags[0],
      method: method.toUpperCase(),
      ...{ path, summary, description },
      parameters: parameters.map((one) => this.#parameter(one)),
      body: content && { type: content[0], ...content[1] },
      answer: { status, ...answer.content?.["application/json"] },
      errors: Object.keys(rest.responses).filter((one) => Number(one) >= 400),
      samples: rest["x-codeSamples"],
      isOpen: rest.security?.length === 0,
      isReadOnly: method === "get" || rest["x-read-only"] === true,
    };
  }

  #parameter(parameter) {
    return parameter.$ref ? this.#parameters[lastOf(parameter.$ref)] : parameter;
  }

  /** The schema behind a reference, and its name. */
  resolve(schema) {
    const name = schema?.$ref && lastOf(schema.$ref);
    return name ? { ...this.#schemas[name], ...without(schema), name } : (schema ?? {});
  }

  /** The resource that a word behind the # is about, and its operation if it names one. */
  find(word) {
    for (const resource of this.resources) {
      if (resource.name === word) return { resource };
      const operation = resource.operations.find(({ id }) => id === word);
      if (operation) return { resource, operation };
    }
    return {};
  }

  /** The operations that have all words of a text in what they are called. */
  search(text) {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    return this.resources.flatMap(({ title, operations }) =>
      operations.filter((operation) => {
        const called = this.#calledOf(title, operation);
        return words.every((word) => called.includes(word));
      }),
    );
  }

  #calledOf(title, operation) {
    const { id, method, path, summary, body, parameters } = operation;
    operation.called ??= [
      ...[title, id, method, path, summary],
      ...parameters.map(({ name }) => name),
      ...Object.keys(this.resolve(body?.schema).properties ?? {}),
    ]
      .join(" ")
      .toLowerCase();
    return operation.called;
  }
}

const lastOf = (ref) => ref.slice(ref.lastIndexOf("/") + 1);
const without = ({ $ref, ...rest }) => rest;
/** `AuditEvent` → `Audit event`. */
const inWords = (name) => name.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
