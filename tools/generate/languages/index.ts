import { stringify } from "yaml";
import { languages } from "../schema/languages";
import { csharp } from "./csharp";
import { go } from "./go";
import { hcl } from "./hcl";
import { java } from "./java";
import { declarationsOf, keysIn, type PackageTypes, type Program, type Value } from "./model";
import { python } from "./python";

export type { PackageTypes, Program };

/** Programs by the names that Markdown has for their languages. */
export type Programs = Readonly<Record<string, { readonly title: string; readonly code: string }>>;

/**
 * A program for the native provider in every language of Pulumi; without YAML, which cannot say it, where an
 * id is the key of a map. The documents and the examples in the package's schema are both made by this.
 */
export function inEveryLanguage(program: Program, types: PackageTypes): Programs {
  const declarations = declarationsOf(program, types);
  const canBeYaml = !declarations.some(({ fields }) => fields.some(([, value]) => hasIdAsKey(value)));
  return {
    ...(canBeYaml && { yaml: { title: "YAML", code: stringify({ resources: program }, { lineWidth: 0 }) } }),
    python: { title: "Python", code: python(declarations) },
    go: { title: "Go", code: go(declarations, `${languages.go.importBasePath}`) },
    csharp: { title: "C#", code: csharp(declarations) },
    hcl: { title: "HCL", code: hcl(declarations) },
    java: { title: "Java", code: java(declarations) },
  };
}

const hasIdAsKey = (value: Value): boolean => value.is === "map" && keysIn(value).length > 0;
