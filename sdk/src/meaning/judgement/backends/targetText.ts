import type { Target } from "./traffic";

const MAX_LABELS = 5;

/** A tree of backends in one line. */
export function targetText(target: Target): string {
  switch (target.kind) {
    case "tunnels":
      return "tunnels that bind the address";
    case "tunnel_group":
      return `tunnels with ${labelText(target.labels) || "any label"}`;
    case "static":
      return `${target.address ?? "an unknown address"}${target.tls ? " by TLS" : ""}`;
    case "http_response":
      return `an answer of status ${target.status_code}`;
    case "weighted":
      return target.parts.map(({ percent, to }) => `${percent} % ${nested(to)}`).join(", ") || "no backend";
    case "failover":
      return target.in_order.map(nested).join(", else ") || "no backend";
    case "missing":
      return "a backend that does not exist";
    case "cycle":
      return `a circle at ${target.name}`;
    case "disabled":
      return "nowhere: the backend is disabled";
    case "more":
      return "…";
    default:
      return "a backend that is not known yet";
  }
}

const nested = (target: Target): string =>
  target.kind === "weighted" || target.kind === "failover" ? `(${targetText(target)})` : targetText(target);

function labelText(labels: Readonly<Record<string, string>>): string {
  const all = Object.entries(labels).map(([label, value]) => `${label}=${value}`);
  const more = all.length - MAX_LABELS;
  return `${all.slice(0, MAX_LABELS).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
