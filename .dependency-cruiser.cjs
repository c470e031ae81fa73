const { FLOORS, requireFloors } = require("./tools/scripts/floors.cjs");

/**
 * Imports go one way: sdk ← provider ← policies and plugin, sdk ← server, sdk ← gateway. Provider, server and
 * gateway meet over HTTP only; the command has all three in one.
 */
const only = (name, from, to, comment) => ({
  name,
  severity: "error",
  comment,
  from: { path: from },
  to: { path: to },
});

/** A folder's imports, or those of one file. */
const inRooms = (part, rooms) =>
  `^${part}/(${rooms.map((room) => (room.endsWith(".ts") ? room.replace(".", "[.]") : `${room}/`)).join("|")})`;

/** One rule for each room: everything above it, and its neighbours on the same floor, is out of reach. */
const floorRules = Object.entries(FLOORS).flatMap(([part, floors]) =>
  floors.map(Object.keys).flatMap((floor, index, all) =>
    floor.flatMap((room) => {
      const outOfReach = [...all.slice(0, index).flat(), ...floor.filter((other) => other !== room)];
      if (outOfReach.length === 0) return [];
      const comment = `Rooms of ${part} use lower floors only.`;
      return [only(`${part}-floor-${room}`, inRooms(part, [room]), inRooms(part, outOfReach), comment)];
    }),
  ),
);
requireFloors();

module.exports = {
  forbidden: [
    only(
      "sdk-stands-alone",
      "^sdk/",
      "^(server|provider|plugin|gateway|policies|tunnelplane|examples)/",
      "The contract and the client know nobody.",
    ),
    only(
      "sdk-without-pulumi",
      "^sdk/",
      "node_modules/@pulumi",
      "The client serves programs that have no Pulumi.",
    ),
    only(
      "server-knows-the-sdk-only",
      "^server/",
      "^(provider|plugin|gateway|policies|tunnelplane|examples)/",
      "The server meets the others over HTTP.",
    ),
    only(
      "provider-knows-the-sdk-only",
      "^provider/",
      "^(server|plugin|gateway|policies|tunnelplane|examples)/",
      "The provider meets the server over HTTP.",
    ),
    only(
      "gateway-knows-the-sdk-only",
      "^gateway/",
      "^(server|provider|plugin|policies|tunnelplane|examples)/",
      "The gateway is a client of the API like any other.",
    ),
    only(
      "policies-review-as-the-provider-does",
      "^policies/",
      "^(server|plugin|gateway|tunnelplane|examples)/",
      "The policy pack judges what the provider's classes declare.",
    ),
    only(
      "plugin-hosts-the-core",
      "^plugin/",
      "^(server|gateway|policies|tunnelplane|examples)/|^provider/src/(?!(core|operation|engine)/index[.]ts$)",
      "The native provider stands on the lifecycle and on what all of its hosts share.",
    ),
    only(
      "translator-is-pure",
      "^gateway/src/envoy/",
      "^(fs|node:fs|child_process|net|http|https)$|^gateway/src/(?!envoy/)",
      "Objects become a configuration without files, processes or networks.",
    ),
    only(
      "core-knows-no-host",
      "^provider/src/core/",
      "^provider/src/(?!core/)|node_modules/@pulumi",
      "The core stands under more than one host.",
    ),
    only(
      "operation-knows-no-host",
      "^provider/src/operation/",
      "^provider/src/(?!(operation|core)/)|node_modules/@pulumi",
      "Code that hosts share belongs to none of them.",
    ),
    only(
      "contract-needs-no-client",
      "^sdk/src/contract/",
      "^sdk/src/(client|generated|catalogue)/",
      "The contract is data.",
    ),
    only(
      "meaning-is-pure",
      "^sdk/src/meaning/",
      "^sdk/src/(client|generated|catalogue)/|node_modules/undici",
      "The meaning of objects needs no server.",
    ),
    ...floorRules,
    {
      name: "what-callers-see-through-the-view",
      severity: "error",
      comment:
        "Rooms that answer about the world read it through server/src/view, which knows who asks. Excepted are the index of searches and the guard, whose reads find what to look at and are in no answer, and the kept states, which were judged through a view.",
      from: {
        path: "^server/src/(exposure/(?!guarantees/(table|keptTable|guard)[.]ts$)|view/search/(?!rows[.]ts$))",
      },
      to: {
        path: "^server/src/storage/|node_modules/kysely/",
        dependencyTypesNot: ["type-only"],
      },
    },
    only(
      "server-by-the-door",
      "^server/src/([^/]+)/",
      "^server/src/(?!$1/)[^/]+/(?!index[.]ts$)",
      "Other rooms see what a room's index.ts exports.",
    ),
    only(
      "server-by-the-door-from-above",
      "^server/src/[^/]+[.]ts$",
      "^server/src/[^/]+/(?!index[.]ts$)",
      "Other rooms see what a room's index.ts exports.",
    ),
    { name: "no-circular", severity: "error", from: {}, to: { circular: true } },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.tools.json" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["require", "node", "default", "types"],
    },
  },
};
