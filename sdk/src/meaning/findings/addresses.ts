import type { Example } from "../access/changes";
import type { AreaChanges } from "../access/comparison";
import type { Row } from "../exposure/rows";
import type { Model } from "../model";
import { code } from "../names";
import { listNetworks, wholeFamilies } from "../networks/networkSet";
import { type AddressChange, type Context, type Draft, listed, type Rule } from "./finding";
import { hasEnded, isUnservable } from "./requests";

/** The checks of an address, in words; empty if anybody may reach it. */
export function asks(row: Row): string[] {
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
export function causeOfAddress({ holder, edge }: Row, elsewhere: Model): Draft["cause"] {
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

/** Whether no gateway can serve an address, and why. */
const reasonToClose = ({ changes: { ordinary } }: AreaChanges): string | undefined =>
  ordinary && isUnservable(ordinary.after) ? ordinary.after.steps.at(-1)?.sentence : undefined;

/**
 * The finding about a new address; null if its requests are reported already at the address that served them
 * before.
 */
function newsOf({ address, after }: AddressChange, { requests }: Context): News | null {
  const asked = after ? asks(after) : [];
  const name = code(address);
  const { areas, opened, isProved } = requests.at(address);
  const own = areas.filter(({ is }) => is === address);
  const reason = own.map(reasonToClose).find((reason) => reason !== undefined);
  if (reason) return { isOpen: false, sentence: `${name} is new, and lets nobody in: ${reason}`, isProved };
  const isKnown = isProved && own.length > 0;
  if (isKnown && own.every(({ was }) => was !== null)) return null;
  const fresh = opened.filter(({ was }) => was === null);
  const open = fresh.find(({ change }) => change.everyone);
  const isOpen = isKnown ? open !== undefined : asked.length === 0;
  const example = (open ?? fresh[0])?.change.example;
  const news = (sentence: string): News => ({ isOpen, sentence, isProved: isKnown, example });
  if (isOpen && asked.length === 0)
    return news(
      `${name} is new, and anybody may reach it: no client certificate, network limit, sign-in or token is asked for.`,
    );
  if (isOpen)
    return news(
      `${name} is new, and lets in some requests of anybody, though it asks for ${asked.join(" and ")}.`,
    );
  if (asked.length > 0) return news(`${name} is new; it asks for ${asked.join(" and ")}.`);
  return news(
    fresh.length > 0
      ? `${name} is new; its policies say who may reach it.`
      : `${name} is new, and its policies let nobody in.`,
  );
}

interface News {
  readonly isOpen: boolean;
  readonly sentence: string;
  readonly isProved: boolean;
  readonly example?: Example;
}

const added = (change: AddressChange, context: Context, isOpen: boolean): Draft[] => {
  const { before, after } = change;
  const news = before || !after ? null : newsOf(change, context);
  if (!after || !news || news.isOpen !== isOpen) return [];
  const { sentence, example, isProved } = news;
  return [
    {
      about: after.holder,
      address: change.address,
      sentence,
      after: { asks: asks(after), networks: listNetworks(after.networks.value) },
      cause: causeOfAddress(after, context.before),
      certain: isProved || isKnown(after),
      ...(example && { example }),
      proved: isProved,
    },
  ];
};

/** Rules for new and removed addresses. */
export const addressRules: readonly Rule<AddressChange>[] = [
  {
    rule: "opened-unprotected",
    evaluate: (change, context) => added(change, context, true),
  },
  {
    rule: "address-added",
    evaluate: (change, context) => added(change, context, false),
  },
  {
    rule: "address-removed",
    evaluate: ({ address, before, after }, { after: later, unsettled, requests }) => {
      if (!before || after || !before.addressKnown) return [];
      const { areas, closed, isProved } = requests.at(address);
      const own = areas.filter(({ was }) => was === address);
      const isKnown = isProved && own.length > 0;
      const takers = own.flatMap((area) => (area.is !== null && !reasonToClose(area) ? [area.is] : []));
      if (isKnown && takers.length === own.length) return []; // others take its requests
      const certain = !unsettled.has(before.holder.identity) && !unsettled.has(before.edge?.identity ?? "");
      const example = closed.find(({ change }) => hasEnded(change.example.after))?.change.example;
      const besides = takers.length > 0 ? `, but for what ${listed(takers.map(code))} takes` : "";
      return [
        {
          about: before.holder,
          address,
          sentence: `${code(address)} is no longer served${besides}.`,
          before: { asks: asks(before), networks: listNetworks(before.networks.value) },
          cause: causeOfAddress(before, later),
          certain,
          ...(example && { example }),
          proved: isKnown,
        },
      ];
    },
  },
];
