import { z } from "zod";
import { conditioned, text } from "../core/fields";
import { isAddress, isDomain, isPort } from "./host";

const MAX_RULES = 1000;
const CURE = 'expected "bind:<domain>", "bind:*.<domain>", "bind:<host>:<port>", "bind:<key>=<value>" or "*"';

/** The ACL of a credential: bind rules, or "*"; see spec "ACL rules". */
export const acl = () =>
  z
    .array(conditioned(text(1024), mistakeInRule).meta({ examples: ["bind:*.example.com"] }))
    .max(MAX_RULES)
    .default([])
    .meta({
      description:
        "Rules for what the credential may bind: `bind:<domain>`, `bind:*.<domain>`, `bind:<host>:<port>`, `bind:<key>=<value>` (key and value may be `*`), or `*` for everything. Empty: no restrictions.",
    });

/**
 * The limit on what one request asks to bind. A connection may bind a hundred things, and each may have 32
 * labels.
 */
const MAX_BINDS = 1000;

/** A bind that an agent asks for: the address, or each of its labels. */
export const binds = () =>
  z
    .array(conditioned(text(1024), mistakeInBind).meta({ examples: ["bind:app.example.com:443"] }))
    .max(MAX_BINDS)
    .default([]);

/** The mistake in an entry of {@link binds}; undefined if there is none. */
export function mistakeInBind(bind: string): string | undefined {
  const target = bind.startsWith("bind:") ? bind.slice("bind:".length) : "";
  if (
    target.includes("=") ? /^[^=\p{Cc}]+=[^=\p{Cc}]+$/u.test(target) : isAddress(target, { wildcard: true })
  )
    return undefined;
  return `${shown(bind)} does not say what to bind: expected "bind:<host>:<port>", or "bind:<key>=<value>" for each label`;
}

const shown = (rule: string): string => JSON.stringify(rule.length > 80 ? `${rule.slice(0, 80)}…` : rule);

function mistakeInRule(rule: string): string | undefined {
  if (rule === "*") return undefined;
  if (!rule.startsWith("bind:")) return `${shown(rule)} is not an ACL rule: ${CURE}`;
  const target = rule.slice("bind:".length);
  const port = /^[^=]*[^\]:=]:(\w+)$/.exec(target)?.[1];
  if (port !== undefined && !isPort(port))
    return `${shown(rule)} must end in a port from 1 to 65535: ${CURE}`;
  const sound = target.includes("=")
    ? isLabel(target)
    : isAddress(target, { wildcard: true }) || isDomain(target, { wildcard: true });
  return sound ? undefined : `${shown(rule)} does not say what may be bound: ${CURE}`;
}

function isLabel(target: string): boolean {
  const [key, value, ...rest] = target.split("=");
  return rest.length === 0 && !!key && !!value && !/\s/.test(target);
}
