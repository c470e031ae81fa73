/** Whether the rules of a credential allow all that is to be bound; see spec "ACL rules". */
export const allows = (acl: readonly string[], bind: readonly string[]): boolean =>
  bind.every((one) => acl.length === 0 || acl.some((rule) => covers(rule, one)));

function covers(rule: string, asked: string): boolean {
  if (rule === "*") return true;
  const want = rule.replace(/^bind:/, "");
  const have = asked.replace(/^bind:/, "");
  if (have.includes("=") || want.includes("=")) return coversLabel(want, have);
  const [host = "", port] = split(want);
  const [asks = "", asksPort] = split(have);
  if (port !== undefined && port !== asksPort) return false;
  // A leading wildcard covers every name below, and the wildcard itself.
  return host.startsWith("*.") ? asks.endsWith(host.slice(1)) : asks === host;
}

function coversLabel(want: string, have: string): boolean {
  const [key, value] = want.split("=");
  const [ownKey, ownValue] = have.split("=");
  if (value === undefined || ownValue === undefined) return false;
  return (key === "*" || key === ownKey) && (value === "*" || value === ownValue);
}

function split(address: string): [string, string | undefined] {
  const port = /:(\d+)$/.exec(address)?.[1];
  return [(port === undefined ? address : address.slice(0, -port.length - 1)).toLowerCase(), port];
}
