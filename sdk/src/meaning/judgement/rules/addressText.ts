/** A part of an IPv4 address as it is printed. */
const OCTETS = Array.from({ length: 256 }, (_, number) => String(number));

/**
 * The IPv4 networks whose addresses begin with a text, `10.1` for example, in CIDR notation; undefined for a
 * text with which addresses of IPv6 may begin.
 */
export function networksOfPrefix(text: string): readonly string[] | undefined {
  if (!text.includes(".")) return undefined;
  const whole = text.split(".");
  const begun = whole.pop() ?? "";
  if (whole.length > 3 || !whole.every((octet) => OCTETS.includes(octet))) return [];
  const last = begun === "" ? [] : OCTETS.filter((octet) => octet.startsWith(begun));
  const networks = begun === "" ? [whole] : last.map((octet) => [...whole, octet]);
  return networks.map((octets) => {
    const bits = octets.length * 8;
    return `${[...octets, "0", "0", "0", "0"].slice(0, 4).join(".")}/${bits}`;
  });
}
