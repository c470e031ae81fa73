/** A reason to claim a type that the compiler cannot see, with the casts for that reason, by file. */
interface Reason {
  readonly because: string;
  readonly casts: Readonly<Record<string, readonly string[]>>;
}

/**
 * Every cast of the packages, with its last 50 characters. `x as unknown as T` stands here twice. For a new
 * one, first try to narrow the value (`present`, `isObject`, `keysOf`, `codeOf` and `messageOf` in
 * sdk/src/contract/core/narrow.ts, a predicate, or the type of a variable); else add it to the reason that
 * holds for it.
 */
export const CASTS: readonly Reason[] = [
  {
    because: "A schema that was walked beside the value shows the value's form.",
    casts: {
      "gateway/src/envoy/routes.ts": [
        "config.content as string | undefined",
        "…fig.headers as Record<string, string> | undefined",
      ],
      "gateway/src/trial/answered.ts": [
        "{ ...fields } as Json",
        "object.fields as Json",
        "fields as Json",
        "…ma(definitionNamed(kind)), fields, refer) as Json",
        "elementOf(schema) as Schema | undefined",
        "field as Schema",
        "entry.fields.routes as unknown[]",
      ],
      "provider/src/core/lifecycle.ts": ["…ma(this.target.definition), inputs) as Properties"],
      "sdk/src/catalogue/changeSet.ts": ["args as Record<string, unknown>"],
      "sdk/src/contract/core/convert.ts": [
        "item as Json[]",
        "item as string",
        "ref as { id: string }",
        "id as string",
        "value as string",
      ],
      "sdk/src/contract/core/validate.ts": [
        "…(schema, body, isUnknown, keepZeroValues) as Json",
        "…ete(schema, sent, nothingIsUnknown, true) as Json",
        "complete(schema, sent, isUnknown) as Json",
        "…s Record<PropertyKey, unknown> | undefined | null",
        "value as Json",
        "value as Json",
      ],
      "sdk/src/contract/samples.ts": [
        "replaced(definition.sample, ids) as Json",
        "field.meta()?.examples as unknown[] | undefined",
      ],
      "sdk/src/contract/secrets.ts": [
        "document.id as string",
        "mapped[name] as Json[] | undefined",
        "item as Json",
      ],
      "server/src/changesets/keys.ts": ["…Schema(definition), sent, mapper, []) as Document"],
      "server/src/documents/documents.ts": [
        "document[name] as Document[] | undefined",
        "overlaid(whole, completed) as Document",
        "below as unknown[]",
        "below as Document",
        "above as Document",
      ],
      "server/src/http/operations/decisions.ts": ["…tsShape, body) as { requests: DecisionRequest[] }"],
      "server/src/http/operations/gateways.ts": [
        "…tial<Record<string, string>> & { bind: string[] }",
        "…ed(reportShape, body) as unknown as GatewayReport",
        "checked(reportShape, body) as unknown",
      ],
    },
  },
  {
    because: "Stored and answered objects have the fields of their kind; the code reads one by its name.",
    casts: {
      "provider/src/cli/review.ts": ["report as unknown as Report", "report as unknown"],
      "provider/src/core/everything.ts": ["answer[name] as (Wire & WithName)[]"],
      "provider/src/operation/guarantees.ts": [
        "…s.DecisionRequest; decision: Meanings.Decision; }",
        "example as unknown",
      ],
      "provider/src/review/onEnvoy.ts": ["line as unknown as TriedExample", "line as unknown"],
      "sdk/src/client/collection.ts": ["page[this.listKey] as ReadAnswer<T, O>[]", "body[this.name] as T[]"],
      "sdk/src/client/events.ts": ["…ry}`, undefined, options)) as Answered<EventPage>"],
      "sdk/src/client/transport.ts": ["undefined as T", "json as T", "json as ErrorBody | null"],
      "server/src/cli/guarantees.ts": [
        "…est: DecisionRequest; decision: Decision } | null",
        "example as unknown",
      ],
      "server/src/exposure/around.ts": [
        "fields.ip_policy as { id?: string } | undefined",
        "(fields.destinations ?? []) as { id: string }[]",
      ],
      "server/src/exposure/page.ts": ["…cument & { match: string; match_type: string })[]"],
      "server/src/resources/subresources.ts": ["document as Record<string, Document[]>"],
    },
  },
  {
    because: "Text in a form that the code checked just before, or that only this program writes.",
    casts: {
      "provider/src/cli/secrets.ts": ["…resources?: { name: string; inputs: unknown }[] }"],
      "provider/src/review/preview.ts": ["(read.steps ?? []) as PreviewStep[]"],
      "provider/src/review/resources.ts": [
        "found[name] as Record<PropertyKey, unknown>",
        "value as Record<string, unknown>",
      ],
      "provider/src/review/sets.ts": ["objects as Objects"],
      "sdk/src/catalogue/file.ts": [
        "item as Node | null",
        "…er(isPair) as Pair<Scalar<string>, Node | null>[]",
      ],
      "sdk/src/traffic/read.ts": ["value as TrafficLine | OtherTraffic"],
      "server/src/backup/file.ts": ["header as unknown as Header", "header as unknown"],
      "server/src/cli/doctor/machine.ts": ['…./package.json") as { engines: { node: string } }'],
      "server/src/http/largeBodies.ts": [
        "bytes as Buffer",
        "…ectIn(parseJson(rest)) as Record<string, unknown>",
      ],
      "server/src/http/limits/sharedCounts.ts": ["news as Counted"],
      "server/src/storage/migrations/004_deliveries.ts": [
        "…pe: string }[]; destinations: { id: string }[]; }",
      ],
      "server/src/version.ts": ['require("../package.json") as { version: string }'],
    },
  },
  {
    because: "The engine passes the properties that this resource declared or recorded.",
    casts: {
      "plugin/src/values.ts": ["values as T", "…ed as Parameters<typeof Struct.fromJavaScript>[0]"],
      "provider/src/catalogue/declareSet.ts": [
        "…ths.reduce<unknown>(withSecret, fields) as Fields",
        "value as Fields",
      ],
      "provider/src/core/setLifecycle.ts": ['kind as SetObject["kind"]'],
      "provider/src/core/values.ts": [
        "both as [Properties, Properties]",
        "a as Properties",
        "b as Properties",
      ],
      "provider/src/host/catalogueSetHandler.ts": [
        "…!== undefined && { __intent }) } as SetProperties",
        "outputsOf(recorded, inputs) as SetProperties",
        "{ ...known, ...found } as SetProperties",
        "…ects, __intent: olds.__intent }) as SetProperties",
      ],
      "provider/src/host/dynamic.ts": [
        "…SetHandler(operation) as dynamic.ResourceProvider",
        "news as { __origin?: Origin }",
        "inputs as { __intent?: string; __adopts?: string }",
      ],
      "provider/src/host/observed.ts": ['…(schema, { ...row }, "camelCase") as InProgram<T>'],
      "provider/src/host/mistakes.ts": ["known(args) as Record<string, unknown>"],
      "provider/src/host/resource.ts": [
        "pulumi.secret(value) as pulumi.Output<T>",
        "…cret(known, [name, ...rest])) as pulumi.Output<T>",
        "value as Properties",
        "…[name]: withSecret(properties[name], rest) } as T",
      ],
    },
  },
  {
    because: "Anything may be thrown; the code reads fields that errors of this source have, if at all.",
    casts: {
      "provider/src/cli/secrets.ts": ["error as { code?: string; stderr?: string }"],
      "provider/src/operation/stateBackend.ts": ["…eJS.ErrnoException & { readonly stderr?: string }"],
      "sdk/src/client/retry.ts": ["error as FailedTry"],
      "sdk/src/client/transport.ts": ["error as Error & { code?: string }"],
      "server/src/cli/doctor/server.ts": ["…& { cause?: { code?: string; message?: string } }"],
      "server/src/events/targets/cloud.ts": ["error as CloudFailure"],
      "server/src/events/targets/target.ts": ["…or as Error & { code?: string; errors?: Error[] }"],
      "server/src/http/bodies.ts": ["refusal as Error"],
      "server/src/http/errors.ts": ["…: string; statusCode?: number; message?: string }"],
      "server/src/resources/transaction.ts": ["error.result as T"],
      "server/src/storage/commitQueue.ts": ["error as { errcode?: number }"],
    },
  },
  {
    because: "Zod's types do not say which schema is inside another; the class of the outer one was checked.",
    casts: {
      "sdk/src/contract/core/convert.ts": ["element as z.ZodType"],
      "sdk/src/contract/core/fields.ts": ["{ name: module.name, ...marks, } as object"],
      "sdk/src/contract/core/marks.ts": [
        "schema.unwrap() as z.ZodType",
        "inner.shape as Record<string, z.ZodType>",
        "inner.element as z.ZodType",
      ],
      "sdk/src/contract/core/shape.ts": [
        "schema as z.ZodOptional<z.ZodType>",
        "schema.unwrap() as z.ZodType",
      ],
      "sdk/src/contract/core/validate.ts": [
        "bare(schema) as z.ZodObject",
        "schema.options as readonly z.ZodType[]",
      ],
      "sdk/src/contract/modules/policies.ts": ["shape as Record<string, z.ZodType>"],
      "server/src/cli/look/fields.ts": ["inner.valueType as z.ZodType"],
      "server/src/http/openapi/examples.ts": [
        "…bare(schema).meta()?.examples ?? []) as unknown[]",
        "inner.options[0] as z.ZodType",
        "schema as { format?: string }",
      ],
      "server/src/http/openapi/schemas.ts": [
        "zodSchema as unknown as z.ZodType",
        "zodSchema as unknown",
        "…one] as { anyOf?: Json[]; description?: string; }",
        "jsonSchema.required as string[]",
        "reference.$ref as string",
        "inner.valueType as z.ZodType",
        "option as z.ZodType",
        "option as z.ZodType",
        "jsonSchema.items as Json",
        "jsonSchema.properties as Record<string, Json>",
      ],
    },
  },
  {
    because: "Object.keys, fromEntries and create, and map on a tuple, forget the names that went in.",
    casts: {
      "gateway/src/agents/hostKeys.ts": [
        "… => before() ?? key.sign(data) }, }) as ParsedKey",
        "…ffer) => sign(null, data, read) } }) as ParsedKey",
      ],
      "gateway/src/envoy/model.ts": [
        "…ntries(lists), unreadable } as unknown as Objects",
        "…bject.fromEntries(lists), unreadable } as unknown",
      ],
      "gateway/src/envoy/sessionCookies.ts": ["…fromEntries(names) as Record<CookieField, string>"],
      "gateway/src/traffic/line.ts": ["…t, ...Object.fromEntries(named) } as Said<Format>"],
      "provider/src/catalogue/declare.ts": ["entries as [string, unknown][]"],
      "sdk/src/catalogue/changeSet.ts": ["entries as [string, unknown][]"],
      "sdk/src/contract/core/narrow.ts": [
        "Object.keys(table) as K[]",
        "Object.entries<V>(table) as [K, V][]",
      ],
      "sdk/src/contract/rights/rights.ts": ['…rights, gateway: "read" }]), ) as typeof OF_KINDS'],
      "sdk/src/meaning/decision/rules/expression.ts": ["…ext]) => [kind, text.toLowerCase()])) as TextTest"],
      "sdk/src/meaning/exposure/exposure.ts": ["Object.fromEntries(aspects) as ExposedAspects"],
      "sdk/src/meaning/exposure/rows.ts": ["Object.fromEntries(readings) as Readings"],
      "server/src/exchange/issuers.ts": ["…(name in key ? [[name, key[name]]] : []))) as JWK"],
      "server/src/journal/inbox.ts": [
        "…olumn, parameter(column)])) as unknown as Waiting",
        "…lumn) => [column, parameter(column)])) as unknown",
      ],
      "server/src/storage/statement.ts": [
        "…) as { -readonly [K in keyof T]: Awaited<T[K]>; }",
        "one as PromiseFulfilledResult<unknown>",
      ],
    },
  },
  {
    because: "The name of an entry was built from the table's own keys, or was just found in it.",
    casts: {
      "sdk/src/contract/rights/scopes.ts": ["permission as Permission"],
      "sdk/src/meaning/aspects/index.ts": ["camelCase(shows.field) as keyof Readings"],
      "sdk/src/meaning/aspects/words.ts": ["shows.field as keyof Exposure", "shows.field as keyof Exposure"],
      "sdk/src/meaning/decision/ownPaths.ts": ["…path is the gateway's own.\").step as DecisionStep"],
      "sdk/src/meaning/decision/refuseUnknown.ts": ["name as keyof typeof ASPECTS"],
      "sdk/src/meaning/exposure/exposure.ts": ["shows.field as keyof ExposedAspects"],
      "sdk/src/meaning/findings/opened.ts": ["field as ModuleName"],
      "server/src/changesets/faults.ts": ["sorted as [ObjectFault, ...ObjectFault[]]"],
    },
  },
  {
    because: "The caller chooses the type: the value has what belongs to it, or all its fields are optional.",
    casts: {
      "gateway/src/envoy/indexes.ts": ["idsOf(list).get(id) as T | undefined"],
      "policies/src/stackStandards.ts": ["{} as Config"],
      "provider/src/catalogue/declare.ts": ["args as object", "call as (make: () => T) => T"],
      "sdk/src/contract/core/definition.ts": ["{} as C", 'sample as Sent<Definition["fields"]>'],
      "sdk/src/contract/registry.ts": ["definitionNamed(kind) as DefinitionOf<K>"],
      "server/src/cli/open.ts": ["given.at(-2) as Options", "given.slice(0, -2) as Arguments"],
      "server/src/storage/commitQueue.ts": ["resolve as (result: unknown) => void"],
    },
  },
  {
    because:
      "A row has the columns that its statement selects; the database's or the driver's types are wider.",
    casts: {
      "server/src/auth/keyUses.ts": ['"excluded.hour" as never'],
      "server/src/backup/backup.ts": ["row[column.name] as string | null"],
      "server/src/backup/tables.ts": ["db as unknown as Kysely<AnyDatabase>", "db as unknown"],
      "server/src/events/queue/cursors.ts": [
        "destination as string",
        '…pressions as ExpressionBuilder<Database, "event">',
      ],
      "server/src/journal/verifyInbox.ts": ['…rderBy("n") .limit(PAGE) .execute()) as InInbox[]'],
      "server/src/resources/pages.ts": ["parameter(field) as string"],
      "server/src/storage/bulk.ts": ["Array.from({ length: ROWS }, () => row) as never"],
      "server/src/storage/migrate.ts": [
        "…as Kysely<{ kysely_migration: { name: string } }>",
        "db as unknown",
      ],
      "server/src/storage/migrations/004_deliveries.ts": ["db as Kysely<Filled>"],
      "server/src/storage/migrations/005_audit.ts": ["db as Kysely<Begun>"],
      "server/src/storage/pool.ts": ['query as unknown as PostgresPoolClient["query"]', "query as unknown"],
      "server/src/storage/sqlite.ts": [
        "statement.all(parameters) as R[]",
        "row as R",
        "parameters as SQLInputValue[]",
        "columns[column] as string",
      ],
      "server/src/storage/statement.ts": [
        "new Parameter(name) as never",
        "parameters as Record<string, unknown>",
        "row as never",
      ],
      "server/src/storage/writer.ts": ["rows as R[]"],
    },
  },
  {
    because: "The types of a library or of Node.js leave out what is there, or are wider than what is.",
    casts: {
      "gateway/src/agents/keyExchange.ts": [
        '…alse, ["deriveBits"])) as webcrypto.CryptoKeyPair',
        "…lic: publicKey } as webcrypto.EcdhKeyDeriveParams",
        "null as unknown as number",
        "null as unknown",
      ],
      "gateway/src/agents/ssh2Inside.ts": [
        "…ion as unknown as { readonly _protocol?: Inside }",
        "connection as unknown",
      ],
      "gateway/src/agents/sshServer.ts": ["…ers. } as ConstructorParameters<typeof Server>[0]"],
      "gateway/src/upstreams/addresses.ts": ["address as ipaddr.IPv6", "start as ipaddr.IPv6"],
      "provider/src/catalogue/declare.ts": ["classes[entry.definition.type] as Class"],
      "provider/src/cli/traffic.ts": ["…eateReadStream(file) as AsyncIterable<Uint8Array>"],
      "provider/src/host/trace.ts": ["pulumi.Resource as unknown as Traced", "pulumi.Resource as unknown"],
      "sdk/src/contract/formats/sshPublicKey.ts": ["key as { part: Record<string, { data: Buffer }> }"],
      "sdk/src/meaning/decision/rules/patterns.ts": [
        "… re2Input: { prog: Program; numSubexp: number } }",
        "compile(pattern) as unknown",
      ],
      "sdk/src/meaning/languages/program.ts": [
        "…on) as unknown as { re2Input: { prog: unknown } }",
        "RE2JS.compile(expression) as unknown",
      ],
      "sdk/src/terminal.ts": ["…s (chunk: unknown, ...rest: unknown[]) => boolean"],
      "server/src/http/app.ts": ["query as Query"],
      "server/src/http/bodies.ts": ["body as Buffer", "body as Buffer"],
      "server/src/http/limits/connections.ts": ["socket as { _httpMessage?: ServerResponse }"],
      "server/src/http/limits/garbage.ts": ['runInNewContext("gc") as Collect'],
      "server/src/http/limits/waitingAnswers.ts": ["…cket as { _handle?: { writeQueueSize?: number } }"],
      "server/src/http/operations/changesets.ts": ["body as Buffer | undefined"],
      "server/src/http/operations/collection.ts": ["body as Record<string, unknown>"],
      "server/src/http/serving.ts": [
        "request.params as ObjectPath",
        "request.query as Query",
        "request.params as ObjectPath",
        "request.query as Record<string, string>",
        "request.query as Record<string, string | string[]>",
        "query as Record<string, string>",
      ],
      "server/src/http/forms.ts": ["body as Buffer"],
      "server/src/processes/together.ts": ['(await once(worker, "exit")) as [number | null]'],
      "server/src/outgoing/publicOnly.ts": ["…up: lookupPublic } as buildConnector.BuildOptions"],
      "server/src/server.ts": [
        "app.server.address() as AddressInfo",
        "app.server as unknown as TlsServer",
        "app.server as unknown",
      ],
      "server/src/ssh/authorityKey.ts": [
        "…, data: Buffer, key: object, ) => Promise<Buffer>",
        "key_size as number",
      ],
      "server/src/ssh/wire.ts": ["value as string"],
    },
  },
  {
    because: "A module that is loaded when it is first needed: `require` has no types.",
    casts: {
      "gateway/src/certificates/developmentAuthority.ts": ['require("@peculiar/x509") as typeof X509'],
      "sdk/src/meaning/decision/rules/expression.ts": ['require("@marcbachmann/cel-js") as typeof Cel'],
      "sdk/src/meaning/decision/rules/patterns.ts": ['require("re2js") as typeof Re2'],
      "sdk/src/meaning/languages/program.ts": ['require("re2js") as typeof Re2'],
    },
  },
  {
    because: "An index within a list, in a loop that runs millions of times.",
    casts: {
      "sdk/src/meaning/languages/automaton.ts": [
        "this.#program[at] as Instruction",
        "this.#states[number] as State",
      ],
      "sdk/src/meaning/languages/cells.ts": [
        "state[index] as number",
        "character.codePointAt(0) as number",
        "this.#automata[index] as Automaton",
      ],
      "sdk/src/meaning/languages/program.ts": ["runes[2 * pair] as number", "runes[2 * pair + 1] as number"],
      "sdk/src/meaning/networks/intervals.ts": ["taken[next] as Interval", "taken[index] as Interval"],
      "sdk/src/meaning/networks/source.ts": ["intervals[middle] as readonly [N, N]"],
    },
  },
];
