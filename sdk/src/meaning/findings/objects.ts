import { modulesOf } from "../../contract/core/definition";
import { registry } from "../../contract/registry";
import type { ObjectChange } from "../changes/differences";
import { moduleOf } from "../judgement/reading";
import { code } from "../names";
import type { Rule } from "./finding";
import { isDisabled } from "./sentences";

const MODULES = new Map<string, string[]>(
  registry.map((definition) => [definition.kind, modulesOf(definition)]),
);

/** Rules for objects of any kind. */
export const objectRules: readonly Rule<ObjectChange>[] = [
  {
    rule: "module-disabled",
    evaluate: ({ before, after }, { names }) => {
      if (!after) return [];
      const modules = (MODULES.get(after.kind) ?? []).map((name) => moduleOf(after, name));
      const added = modules.filter(
        ({ name, state }) => state === "off" && (!before || moduleOf(before, name).state === "absent"),
      );
      return added.map(({ name }) => {
        const own = after.modules.get(name);
        return {
          about: after,
          sentence: isDisabled(code(name), names.quote(after)),
          before: null,
          after: { [name]: { enabled: false } },
          cause: {
            kind: after.kind,
            object: own ?? after.object,
            property: own ? "enabled" : `${name}.enabled`,
          },
        };
      });
    },
  },
];
