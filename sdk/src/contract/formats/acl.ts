import { z } from "zod";
import { conditioned, text } from "../core/fields";
import { isAddress, isDomain, isPort } from "./host";

const MOST_RULES = 1000;
const CURE = 'expected "bind:<domain>", "bind:*.<domain>", "bind:<host>:<port>", "bind:<key>=<value>" or "*"';

/** The ACL of a credential: bind rules, or "*"; see spec "ACL rules". */
export const acl = () =>
  z
    .array(conditioned(text(1024), complainAboutRule).meta({ examples: ["bind:*.example.com"] }))
    .max(MOST_RULES)
    .default([])
    .meta({
      description:
        "Rules for what the credential may bind: `bind:<domain>`, `bind:*.<domain>`, `bind:<host>:<port>`, `bind:<key>=<value>` (key and value may be `*`), or `*` for everything. Empty: no restrictions.",
    });

function complainAboutRule(rule: string): string | undefined {
  if (rule === "*") return undefined;
  const shown = JSON.stringify(rule.length > 80 ? `${rule.slice(0, 80)}…` : rule);
  if (!rule.startsWith("bind:")) return `${shown} is not an ACL rule: ${CURE}`;
  const target = rule.slice("bind:".length);
  const port = /^[^=]*[^\]:=]:(\w+)$/.exec(target)?.[1];
  if (port !== undefined && !isPort(port)) return `${shown} must end in a port from 1 to 65535: ${CURE}`;
  const sound = target.includes("=") ? isLabel(target) : isAddress(target, { wildcard: true }) || isDomain(target, { wildcard: true });
  return sound ? undefined : `${shown} does not say what may be bound: ${CURE}`;
}

function isLabel(target: string): boolean {
  const [key, value, ...rest] = target.split("=");
  return rest.length === 0 && !!key && !!value && !/\s/.test(target);
}
