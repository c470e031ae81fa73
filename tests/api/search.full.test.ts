import { DEFAULT_PROJECT, definitionOfId, registry, searchedTexts } from "@tunnelplane/sdk/contract";
import type { Json } from "../support/api/expect";
import { apiOnEveryDatabase, badQuery, expectRefused, hostport, unique } from "../support/api/expect";
import { destination } from "../support/api/fixtures";
import { type ResourceType, TYPES } from "../support/api/types";
import { Rest } from "../support/rest";

interface Result {
  readonly id: string;
  readonly type: string;
  readonly kind: string;
  readonly title: string;
  readonly matched: { readonly field: string; readonly text: string };
  readonly uri: string;
  readonly parent_id?: string;
}

const pathOf = (text: string, more = ""): string => `/search?q=${encodeURIComponent(text)}${more}`;

async function found(rest: Rest, text: string, more = ""): Promise<Result[]> {
  const answer = await rest.get(pathOf(text, more));
  expect(answer.status, answer.text).to.equal(200);
  return answer.body.results;
}

const idsOf = (results: readonly { readonly id: string }[]) => results.map(({ id }) => id);

apiOnEveryDatabase("A search", (server) => {
  it("finds an object by any part of each word, and says which text fits", async () => {
    const word = unique("pelican");
    const edge = await server.created("/edges/tls", { hostports: [`db.${word}.example.com:443`] });
    const [one, ...others] = await found(server.rest, `${word.slice(2).toUpperCase()} Example`);
    expect(others).to.deep.equal([]);
    expect(one).to.deep.equal({
      id: edge.id,
      type: "TlsEdge",
      kind: "tls_edge",
      title: `db.${word}.example.com:443`,
      matched: { field: "hostports[0]", text: `db.${word}.example.com:443` },
      uri: edge.uri,
    });
    expect(idsOf(await found(server.rest, `${word} absent`))).to.deep.equal([]);
    expect(idsOf(await found(server.rest, edge.id))).to.deep.equal([edge.id]);
    expect(idsOf(await found(server.rest, edge.id.slice(9, 30)))).to.deep.equal([edge.id]);
  });

  it("finds an object by the name that a program gave it, also after another one", async () => {
    const word = unique("bittern");
    const named = { "tunnelplane-name": encodeURIComponent(`Höhle ${word}`) };
    const { body: made } = await server.rest.post("/ip_policies", {}, named);
    const other = await server.created("/ip_policies", { description: `not the ${word}` });
    const results = await found(server.rest, `HÖHLE ${word}`);
    expect(idsOf(results)).to.deep.equal([made.id]);
    expect(results[0]).to.deep.include({
      resource_name: `Höhle ${word}`,
      title: `Höhle ${word}`,
      matched: { field: "resource_name", text: `Höhle ${word}` },
    });
    expect(idsOf(await found(server.rest, word))).to.deep.equal([other.id, made.id]);
    const renamed = (name: string) => server.rest.patch(made.uri, {}, { "tunnelplane-name": name });
    expect((await renamed(word)).status).to.equal(200);
    expect(idsOf(await found(server.rest, word))).to.deep.equal([made.id, other.id]);
    expect((await renamed("")).status).to.equal(200);
    expect(idsOf(await found(server.rest, word))).to.deep.equal([other.id]);
  });

  it("finds routes, modules, labels and networks, and says what a route or a rule belongs to", async () => {
    const word = unique("osprey");
    const edge = await server.created("/edges/https", { hostports: [hostport()] });
    const route = await server.created(`/edges/https/${edge.id}/routes`, {
      match_type: "path_prefix",
      match: `/${word}`,
      oidc: {
        issuer: "https://id.example.com",
        client_id: word,
        client_secret: "hidden",
        scopes: ["openid"],
      },
    });
    const backend = await server.created("/backends/tunnel_group", { labels: { service: word } });
    const results = await found(server.rest, word);
    expect(idsOf(results)).to.have.members([route.id, backend.id]);
    const [ofRoute] = await found(server.rest, `${word} module oidc`);
    expect(ofRoute).to.include({ id: route.id, parent_id: edge.id, uri: route.uri });
    const [ofBackend] = await found(server.rest, `service=${word}`);
    expect(ofBackend?.matched).to.deep.equal({ field: "labels.service", text: `service=${word}` });
    const policy = await server.created("/ip_policies", { description: word });
    const rule = await server.created("/ip_policy_rules", {
      ip_policy_id: policy.id,
      cidr: "198.51.100.64/26",
      action: "allow",
    });
    for (const address of ["198.51.100.99", "198.51.100.64/26", "51.100.6"]) {
      const [ofRule] = await found(server.rest, address);
      expect(ofRule, address).to.deep.include({ id: rule.id, parent_id: policy.id });
    }
    expect(await found(server.rest, "198.51.100.1")).to.deep.equal([]);
    const six = { ip_policy_id: policy.id, cidr: "2001:db8:7::/48", action: "allow" };
    const { id } = await server.created("/ip_policy_rules", six);
    expect(idsOf(await found(server.rest, "2001:DB8:7:0::9"))).to.deep.equal([id]);
  });

  it("finds what was created, changed or deleted just before", async () => {
    for (let turn = 0; turn < 20; turn++) {
      const [before, after] = [unique("egret"), unique("stork")];
      const { id, uri } = await server.created("/ip_policies", { description: before });
      expect(idsOf(await found(server.rest, before))).to.deep.equal([id]);
      expect((await server.rest.patch(uri, { description: after })).status).to.equal(200);
      expect(idsOf(await found(server.rest, after))).to.deep.equal([id]);
      expect(await found(server.rest, before)).to.deep.equal([]);
      expect((await server.rest.delete(uri)).status).to.equal(204);
      expect(await found(server.rest, after)).to.deep.equal([]);
    }
  });

  it("never finds a secret, and no answer shows one", async () => {
    const secret = unique("topsecret");
    const target = {
      monitoring_service: { api_key: secret, monitoring_site: "datadoghq.com", service: unique("s") },
    };
    const made = await server.created("/event_destinations", { ...destination(), target });
    const key = await server.created("/api_keys", { description: unique("key") });
    for (const hidden of [secret, secret.slice(0, 9), key.token, key.token.slice(5, 25)])
      expect(await found(server.rest, hidden), hidden).to.deep.equal([]);
    const { text } = await server.rest.get(pathOf(made.id));
    expect(text).to.include(made.id);
    expect(text).not.to.include(secret);
  });

  it("is refused without words, with too many, and with a limit beyond 100", async () => {
    for (const path of [
      "/search",
      "/search?q=",
      "/search?q=%20",
      pathOf("x".repeat(129)),
      pathOf("a\u0000b"),
    ])
      expectRefused(await server.rest.get(path), { ...badQuery, mentions: ["q"] });
    for (const limit of ["0", "101", "many"])
      expectRefused(await server.rest.get(pathOf("a", `&limit=${limit}`)), {
        ...badQuery,
        mentions: ["limit"],
      });
    expect((await server.rest.get(pathOf("🦩".repeat(128)))).status).to.equal(200);
  });
});

async function listed(rest: Rest): Promise<Json[]> {
  const all: Json[] = [];
  const read = async (path: string, key: string): Promise<Json[]> => {
    const objects: Json[] = [];
    for (let next: string | null = path; next !== null; ) {
      const { status, body } = await rest.get(next);
      if (status === 403) return [];
      objects.push(...body[key]);
      next = body.next_page_uri;
    }
    return objects;
  };
  for (const { path, listKey } of registry) {
    const parents = path.includes("{edge_id}") ? await read("/edges/https", "https_edges") : [{ id: "" }];
    for (const { id } of parents) all.push(...(await read(path.replace("{edge_id}", String(id)), listKey)));
  }
  return all;
}

/** The objects that a search has to find, from the lists alone. */
function naive(objects: readonly Json[], text: string): string[] {
  const words = text.toLowerCase().split(" ");
  const rankOf = (object: Json): number => {
    const definition = definitionOfId(String(object.id));
    if (!definition) return 9;
    const texts = [String(object.id), ...searchedTexts(definition, object).map((one) => one.text)].map(
      (one) => one.toLowerCase(),
    );
    if (!words.every((word) => texts.some((one) => one.includes(word)))) return 9;
    if (texts.includes(text.toLowerCase())) return 0;
    const ranks = words.map((word) => {
      const escaped = word.replace(/[^a-z0-9]/g, "\\$&");
      if (texts.some((one) => new RegExp(`(^|[^a-z0-9])${escaped}`).test(one))) return 1;
      return texts.slice(1).some((one) => one.includes(word)) ? 2 : 3;
    });
    return Math.max(...ranks);
  };
  const ageOf = (id: string) => id.slice(id.indexOf("_") + 1);
  return objects
    .map((object) => ({ id: String(object.id), rank: rankOf(object) }))
    .filter(({ rank, id }) => rank < 9 && id !== DEFAULT_PROJECT.id)
    .sort((a, b) => a.rank - b.rank || (ageOf(a.id) < ageOf(b.id) ? 1 : -1))
    .map(({ id }) => id);
}

apiOnEveryDatabase("What a search finds", (server) => {
  const callers = new Map<string, Rest>();
  const words = ["amber", "birch", "cedar", "delta-7", "x", "10.0", "example.com", "module", "ma bi"];
  const fill = async (rest: Rest, types: readonly ResourceType[]) => {
    for (const [index, type] of types.entries()) {
      const edge = type.path.includes("{edge_id}")
        ? (await server.rest.post("/edges/https", { hostports: [hostport()] })).body.id
        : "";
      const text = `${words[index % 4]} ${unique("of")} ${words[(index + 1) % 4]}`;
      const body = { ...(await type.body(rest)), description: text, metadata: words[(index * 3) % 4] };
      const { status, text: said } = await rest.post(type.path.replace("{edge_id}", edge), body);
      expect([201, 400, 403, 404], said).to.include(status);
    }
  };

  before("make objects in three projects, and callers of all roles", async () => {
    const { rest } = server;
    const [ours, lent] = [
      await server.created("/projects", { name: "ours" }),
      await server.created("/projects", { name: "lent", shared: true }),
    ];
    const types = TYPES.filter(({ path }) => path !== "/projects" && path !== "/memberships");
    await fill(rest, types);
    await fill(rest.inside("ours"), types);
    await fill(rest.inside("lent"), types);
    callers.set("admin", rest);
    callers.set("admin in ours", rest.inside("ours"));
    for (const [project, in_] of [
      [undefined, rest],
      [ours, rest.inside("ours")],
      [lent, rest.inside("lent")],
    ] as const)
      for (const role of ["member", "viewer", "admin"]) {
        const bot = (await in_.post("/bot_users", { name: unique("amber") })).body;
        if (role !== "member")
          await server.created("/memberships", {
            project_id: project?.id ?? DEFAULT_PROJECT.id,
            role,
            bot_user_id: bot.id,
          });
        const scopes = role === "viewer" ? ["tls_edge:read", "ip_policy_rule:write"] : [];
        for (const some of [[], scopes]) {
          const key = (await in_.post("/api_keys", { owner_id: bot.id, scopes: some })).body;
          const client = new Rest(server.url, key.token);
          callers.set(`${role} of ${project?.name ?? "default"} ${some}`, client);
          if (role === "member") await fill(client, types.slice(0, 2));
        }
      }
  });

  it("is what the lists of each caller show that has the words, and nothing else", async () => {
    let compared = 0;
    for (const [name, rest] of callers) {
      const objects = await listed(rest);
      const some = objects.filter((_, index) => index % 5 === 0).map(({ id }) => String(id).slice(-6, -2));
      for (const text of [...words, ...some]) {
        const expected = naive(objects, text);
        const { body } = await rest.get(pathOf(text, "&limit=100"));
        expect(idsOf(body.results), `${name}: ${text}`).to.deep.equal(expected.slice(0, 100));
        expect(body.has_more, `${name}: ${text}`).to.equal(expected.length > 100);
        compared += expected.length;
      }
    }
    expect(compared).to.be.above(500);
  });

  it("has objects of shared projects too if it is asked for", async () => {
    const rest = callers.get("member of ours ") as Rest;
    const here = idsOf(await found(rest, "amber", "&limit=100"));
    const both = idsOf(await found(rest, "amber", "&limit=100&shared=true"));
    const lent = (await server.rest.inside("lent").get("/ip_policies")).body.ip_policies;
    expect(both).to.include.members(here);
    const added = both.filter((id) => !here.includes(id));
    expect(added).not.to.deep.equal([]);
    expect(idsOf(lent)).to.include.members(added.filter((id) => id.startsWith("ipp_")));
  });
});
