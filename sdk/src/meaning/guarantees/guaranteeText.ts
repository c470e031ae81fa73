import { code } from "../names";
import { type Fields, textsIn } from "../values";

const CREDENTIALS = [
  ["client_certificate", "client certificate"],
  ["token", "token"],
  ["session", "session"],
] as const;

const MAX_LISTED = 3;

/** "requests to `*:443/admin` without a client certificate are refused" */
export function guaranteeText(fields: Fields): string {
  const from = [
    ...(textsIn(fields.networks).length > 0 ? [`from ${listed(textsIn(fields.networks))}`] : []),
    ...(textsIn(fields.except_networks).length > 0
      ? [`from outside of ${listed(textsIn(fields.except_networks))}`]
      : []),
  ];
  const carried = (value: string) =>
    CREDENTIALS.filter(([name]) => fields[name] === value).map(([, title]) => title);
  const [without, having] = [carried("none"), carried("required")];
  const methods = textsIn(fields.methods);
  return [
    methods.length > 0 ? `${listed(methods)} requests to` : "requests to",
    listed(textsIn(fields.addresses).map(code)),
    ...from,
    ...(without.length > 0 ? [`without a ${listed(without)}`] : []),
    ...(having.length > 0 ? [`with an accepted ${listed(having)}`] : []),
    fields.expect === "answered" ? "are answered" : "are refused",
  ].join(" ");
}

function listed(texts: readonly string[]): string {
  const shown = texts.slice(0, MAX_LISTED);
  if (texts.length > MAX_LISTED) return `${shown.join(", ")} and ${texts.length - MAX_LISTED} more`;
  const last = shown.pop() ?? "";
  return shown.length === 0 ? last : `${shown.join(", ")} and ${last}`;
}
