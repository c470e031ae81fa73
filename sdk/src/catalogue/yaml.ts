import { Document, Scalar, visit } from "yaml";
import { isObeyed, visible } from "../terminal";

/**
 * A value as YAML that can be shown: characters that a terminal obeys are escaped. Only double quotes have
 * escapes in YAML, so texts with such characters stand in these. Without anchors: two equal objects are still
 * two.
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
