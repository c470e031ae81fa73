// Loaded into a server before its own code (node --require): the contract as it would be with a field more in
// every type, and in every object within one.
const { join } = require("node:path");
const { z } = require("zod");

const core = join(__dirname, "../../../sdk/dist/contract/core");
const definitions = require(join(core, "definition.js"));
const fields = require(join(core, "fields.js"));
const { defineResource } = definitions;
const { module: edgeModule, object } = fields;

const within = (own) => ({ ...own, added_switch: z.boolean().default(true) });
definitions.defineResource = (definition) =>
  defineResource({
    ...definition,
    fields: {
      ...definition.fields,
      added_choice: z.enum(["low", "high"]).default("low"),
      added_note: fields.text(20).optional(),
    },
  });
fields.object = (own, marks) => object(within(own), marks);
fields.module = (about, own, marks) => edgeModule(about, within(own), marks);
