import type { Row } from "../exposure/rows";
import type { Model } from "../model";
import { listNetworks, wholeFamilies } from "../networks/networkSet";
import { type AddressChange, type Context, code, type Draft, type Rule } from "./finding";

/** The requirements of a new address, in words; empty if anybody may reach it. */
function asks(row: Row): string[] {
  const certainly = ({ value, maybeOff }: { value: unknown; maybeOff: boolean }) =>
    value !== null && !maybeOff;
  return [
    certainly(row.clientCertificate) ? "a client certificate" : "",
    wholeFamilies(row.networks.value).length === 0 && !row.networks.maybeOff ? "an admitted network" : "",
    certainly(row.signIn) ? "signing in" : "",
    certainly(row.token) ? "a token" : "",
  ].filter((ask) => ask !== "");
}

const isKnown = (row: Row): boolean =>
  row.addressKnown &&
  ![row.clientCertificate, row.networks, row.signIn, row.token].some(({ unknown }) => unknown);

/**
 * The cause of a new or removed address: an object that is new or removed as a whole, or the field that names
 * the address.
 */
function causeOf({ holder, edge }: Row, elsewhere: Model): Draft["cause"] {
  const isThere = (identity: string, kind: string) =>
    elsewhere.of(kind).some((thing) => thing.identity === identity);
  if (edge && !isThere(edge.identity, edge.kind)) return edge;
  if (holder !== edge && !isThere(holder.identity, holder.kind)) return holder;
  if (!edge || holder === edge) return { ...holder, property: "hostports" };
  const served = (model: Model) =>
    model.of(edge.kind).find(({ identity }) => identity === edge.identity)?.fields.hostports;
  const moved = JSON.stringify(served(elsewhere)) !== JSON.stringify(edge.fields.hostports);
  return moved ? { ...edge, property: "hostports" } : { ...holder, property: "match" };
}

const added = (
  change: AddressChange,
  context: Context,
  isProtected: boolean,
  sentence: (asked: string[]) => string,
): Draft[] => {
  const { before, after } = change;
  if (before || !after) return [];
  const asked = asks(after);
  if (asked.length > 0 !== isProtected) return [];
  return [
    {
      about: after.holder,
      address: change.address,
      sentence: sentence(asked),
      after: { asks: asked, networks: listNetworks(after.networks.value) },
      cause: causeOf(after, context.before),
      certain: isKnown(after),
    },
  ];
};

/** Rules for new and removed addresses. */
export const addressRules: readonly Rule<AddressChange>[] = [
  {
    rule: "opened-unprotected",
    severity: "high",
    judge: (change, context) =>
      added(
        change,
        context,
        false,
        () =>
          `${code(change.address)} is new, and anybody may reach it: no client certificate, network limit, sign-in or token is asked for.`,
      ),
  },
  {
    rule: "address-added",
    severity: "low",
    judge: (change, context) =>
      added(
        change,
        context,
        true,
        (asked) => `${code(change.address)} is new; it asks for ${asked.join(" and ")}.`,
      ),
  },
  {
    rule: "address-removed",
    severity: "high",
    judge: ({ address, before, after }, { after: later, unsettled }) => {
      if (!before || after || !before.addressKnown) return [];
      const cause = causeOf(before, later);
      const certain = !unsettled.has(before.holder.identity) && !unsettled.has(before.edge?.identity ?? "");
      return [
        {
          about: before.holder,
          address,
          sentence: `${code(address)} is no longer served.`,
          before: { asks: asks(before), networks: listNetworks(before.networks.value) },
          cause,
          certain,
        },
      ];
    },
  },
];
