import { Document, Scalar, visit } from "yaml";
import { isObeyed, visible } from "../terminal";

/**
 * A value as YAML for a terminal: characters that control a terminal are escaped. YAML has escapes only in
 * double quotes, so texts with such characters get these. There are no anchors: two equal objects are written
 * twice.
 */
export function yamlOf(value: unknown): string {
  const document = new Document(value, { aliasDuplicateObjects: false });
  visit(document, {
    Scalar(_, scalar) {
      if (typeof scalar.value === "string" && isObeyed(scalar.value)) scalar.type = Scalar.QUOTE_DOUBLE;
    },
  });
  return visible(document.toString({ lineWidth: 0 }));
}
