import { z } from "zod";
import { defineResource } from "../core/definition";
import { conditioned, description, metadata, text } from "../core/fields";
import { PROJECT_NAME } from "../role";
import { SHARED_PROJECT } from "../teams";

const projectName = () =>
  conditioned(text(40), (name) =>
    PROJECT_NAME.test(name)
      ? undefined
      : 'must be 1 to 40 lower-case letters, digits and dashes, for example "web-shop"',
  ).meta({ minLength: 1, pattern: PROJECT_NAME.source });

/** Projects; people.md "Projects". */
export const project = defineResource({
  type: "Project",
  kind: "project",
  title: "project",
  doc: "A part of the account whose objects exist only for its members. Every object belongs for good to the project in which it was made. `default` exists from the start; it cannot be deleted or get another name. A project that holds objects cannot be deleted.",
  path: "/projects",
  listKey: "projects",
  idPrefix: "proj",
  access: "account",
  fields: {
    name: projectName().meta({
      description:
        "Its name, with which the header `Tunnelplane-Project` chooses it: 1 to 40 lower-case letters, digits and dashes. Unique in the account.",
    }),
    description: description(),
    metadata: metadata(),
    shared: z.boolean().default(false).meta({
      description:
        "Whether other projects may read its objects and refer to them; only its members change them. Stays true while others refer to any of them. Default false.",
    }),
  },
  unique: ({ name: key, shared }) => [
    {
      scope: "project",
      key,
      path: ["name"],
      taken: "is the name of another project already; choose another name",
    },
    ...(shared ? [{ scope: SHARED_PROJECT, key, path: ["shared"], taken: "is taken" }] : []),
  ],
  findBy: ["name"],
  sample: { name: "web-shop", description: "the shop's team" },
  example: `const shop = new tunnels.Project("shop", { name: "web-shop", description: "the shop's team" });`,
});
