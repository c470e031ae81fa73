/** The rules of one bind: one of a hostport, or one for each label; see `bind` of agents. */
export type Bind = readonly string[];

const isLabel = (rule: string): boolean => rule.includes("=");

/**
 * The binds of an agent from its rules, where its gateway does not say which belong together: each hostport
 * is one, and all labels are one.
 */
export function bindsIn(rules: readonly string[]): Bind[] {
  const labels = rules.filter(isLabel);
  return [
    ...rules.filter((rule) => !isLabel(rule)).map((rule) => [rule]),
    ...(labels.length > 0 ? [labels] : []),
  ];
}

/** The hostport of a bind, in lower case; undefined for labels. */
export function hostportIn([rule = ""]: Bind): string | undefined {
  return isLabel(rule) ? undefined : rule.replace(/^bind:/, "").toLowerCase();
}

/** The labels of a bind; none for a hostport. */
export const labelsIn = (bind: Bind): Record<string, string> =>
  Object.fromEntries(
    bind.filter(isLabel).map((rule) => {
      const text = rule.replace(/^bind:/, "");
      const at = text.indexOf("=");
      return [text.slice(0, at), text.slice(at + 1)];
    }),
  );
