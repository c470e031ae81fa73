import {
  changesOf,
  type Definition,
  definitionNamed,
  EVENT_TYPES,
  eventTypeOf,
  expandPath,
  PROJECT_HEADER,
  registry,
  SESSION_EVENTS,
  sampleBody,
  sampleEvent,
  sampleFields,
  sampleReferences,
  withArticle,
} from "@tunnelplane/sdk/contract";
import { type Json, serverOfThisFile } from "../support/api/expect";
import { ServerProcess } from "../support/server";

describe("The examples of the reference and of the OpenAPI document", () => {
  const server = serverOfThisFile(() => ServerProcess.start());
  const made = new Map<string, string>();
  /** Creates the object that a sample names, and what it refers to, once. */
  async function idOf(reference: string): Promise<string> {
    const known = made.get(reference);
    if (known) return known;
    const { id } = await create(definitionNamed(reference.split("/")[0] ?? ""));
    made.set(reference, id);
    return id;
  }

  async function create(
    definition: Definition,
  ): Promise<Json & { id: string; uri: string; project_id?: string }> {
    const ids = new Map<string, string>();
    for (const reference of sampleReferences(definition)) ids.set(reference, await idOf(reference));
    const known = (reference: string) => ids.get(reference) ?? "";
    return server.created(
      expandPath(definition.path, sampleFields(definition, known)),
      sampleBody(definition, known),
    );
  }

  for (const definition of registry) {
    it(`of ${withArticle(definition.title)} is accepted by a server as it stands there, and its events are as they stand there`, async () => {
      const { id, uri, project_id: project } = await create(definition);
      const change = "description" in definition.fields ? { description: "changed" } : { name: "changed" };
      expect((await server.rest.patch(uri, change)).status).to.equal(200);
      expect((await server.rest.delete(uri)).status).to.equal(204);
      const headers = project
        ? { [PROJECT_HEADER]: (await server.read(`/projects/${project}`)).name }
        : undefined;
      const { events } = (await server.rest.get(`/events?object_id=${id}`, headers)).body;
      for (const happened of ["created", "updated", "deleted"] as const) {
        const event = events.find((one: Json) => one.event_type === eventTypeOf(definition, happened));
        expect(placesIn(event)).to.deep.equal(placesIn(sampleEvent(definition, happened)));
      }
    });
  }

  it("are there for every type of event", () => {
    const shown = registry.flatMap((definition) =>
      changesOf(definition).map((change) => eventTypeOf(definition, change)),
    );
    expect([...shown, ...SESSION_EVENTS]).to.include.members([...EVENT_TYPES]);
  });
});

/** The fields of a value by path; of a list by its first entry, and none of objects that belong to it. */
function placesIn(value: unknown, path = ""): string[] {
  if (Array.isArray(value)) return path.endsWith(".routes") ? [] : placesIn(value[0], `${path}[]`);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value)
    .map(([name, field]): [string, unknown] => [name.replace(/_\w{27}$/, "_…"), field])
    .flatMap(([name, field]) => [`${path}.${name}`, ...placesIn(field, `${path}.${name}`)])
    .sort();
}
