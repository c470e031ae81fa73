import { createServer, type Server } from "node:http";
import { join } from "node:path";
import {
  type Decision,
  type DecisionRequest,
  decisions,
  type Target,
  unservable,
  type WorldObject,
} from "@tunnelplane/sdk/meaning";
import { expect } from "chai";
import fc from "fast-check";
import { socketOfHostport, socketOfLabels } from "../../gateway/dist/envoy/names";
import { type Certificate, certificate } from "../support/api/fixtures";
import { size } from "../support/size";
import { StandInServer } from "../support/standIn";
import { BOUND } from "./generated/backends";
import type { AnyWorld, Outside } from "./generated/parts";
import { anyRequest } from "./generated/requests";
import { anyWorld } from "./generated/world";
import { Issuer } from "./tokens";
import { type Answer, envoyOfThisFile, http1, signedBy, Upstream } from "./traffic";

describe("What is decided of requests in generated worlds, and what a real Envoy does with them", () => {
  const gateway = envoyOfThisFile();
  const clients: Record<string, Certificate> = {};
  const issuers: Issuer[] = [];
  const agents: Server[] = [];
  let [two, behindTls]: [Upstream?, StandInServer?] = [];
  let outside!: Outside;

  before("start everything that is outside", async function () {
    if (!gateway.state.own) return this.skip();
    const authorities = { a: certificate({ name: "a" }), b: certificate({ name: "b" }) };
    for (const [name, one] of Object.entries(authorities)) clients[`ca_${name}`] = signedBy(one);
    clients.other = signedBy(certificate({ name: "other" }));
    issuers.push(await Issuer.start(gateway.state.own), await Issuer.start(gateway.state.own));
    two = await Upstream.start("two");
    const { privateKey: key, pem: cert } = gateway.state.own;
    behindTls = await StandInServer.start((_, response) => response.end('{"name":"behind"}'), { key, cert });
    const at = BOUND.hostport.lastIndexOf(":");
    const hostport = { host: BOUND.hostport.slice(0, at), port: Number(BOUND.hostport.slice(at + 1)) };
    for (const socket of [socketOfLabels(BOUND.labels), socketOfHostport(hostport)]) {
      const agent = createServer((_, response) => response.end('{"name":"agent"}'));
      agents.push(agent);
      await new Promise<void>((resolve) => agent.listen(join(gateway.state.folder, socket), resolve));
    }
    outside = {
      one: gateway.state.upstream.address,
      two: two.address,
      behindTls: behindTls.url.slice("https://".length),
      keySets: [issuers[0]?.jku ?? "", issuers[1]?.jku ?? ""],
      authorities: { a: authorities.a.pem, b: authorities.b.pem },
    };
  });
  after("stop it", async () => {
    for (const one of [...issuers, ...(behindTls ? [behindTls] : [])]) one.stop();
    for (const agent of agents) agent.close();
    await two?.stop();
  });

  it("agree: on each outcome, its status and who answers, and on what no gateway can serve", async () => {
    const seen = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(
        anyWorld(outside),
        fc.array(anyRequest(outside), { minLength: 20, maxLength: 20 }),
        async (world, requests) => {
          const { edges } = await gateway.serve(world);
          const meaning = { objects: meaningOf(world) };
          expect(unservable(meaning).map(({ id }) => id)).to.have.members(
            edges.flatMap(({ id, state }) => (state === "rejected" ? [id] : [])),
          );
          const decider = decisions(meaning);
          for (const request of requests) {
            const said = decider.decide(request);
            seen.set(said.outcome, (seen.get(said.outcome) ?? 0) + 1);
            const answer = await ask(request);
            expect(agrees(said, answer), JSON.stringify({ request, said, answer, world })).to.equal(true);
          }
        },
      ),
      { numRuns: size(25, 1500), ...(size(0, 1) === 0 && { seed: 20_261_123 }), endOnFailure: false },
    );
    expect([...seen.keys()].sort()).to.deep.equal([
      "answered",
      "closed",
      "not_found",
      "refused",
      "sign_in",
      "unknown",
      "unserved",
    ]);
    expect(seen.get("unknown") ?? 0).to.be.lessThan([...seen.values()].reduce((sum, one) => sum + one) / 20);
  });

  function ask({ address, tls, host, method, path = "/", headers, user_agent, ...who }: DecisionRequest) {
    const sni = address.slice(0, address.lastIndexOf(":"));
    const { client_certificate: shown, token, from } = who;
    const own = shown && shown !== "unknown" ? clients[shown.authority] : undefined;
    const sent: Record<string, string> = { ...(headers === "unknown" ? {} : headers) };
    if (user_agent) sent["user-agent"] = user_agent;
    if (token === "invalid") sent.authorization = "Bearer nothing";
    else if (token && token !== "unknown" && token.at) {
      const issuer = issuers.find(({ jku }) => jku === token.keys);
      const claims = issuer?.claims({ iss: token.issuer, aud: token.audiences });
      sent[token.at.name] = `${token.at.prefix}${issuer?.token(claims, { alg: token.algorithm })}`;
    }
    return http1(gateway.state.port, path, {
      sni,
      host,
      method,
      headers: sent,
      localAddress: from,
      maxVersion: tls === "1.2" ? "TLSv1.2" : "TLSv1.3",
      ...(own && { cert: own.pem, key: own.privateKey }),
    });
  }
});

function agrees({ outcome, status, goes_to }: Decision, answer: Answer): boolean {
  if (outcome === "unknown") return true;
  if (outcome === "closed") return answer.status === 0;
  if (outcome === "unserved") return answer.status === (status ?? 0);
  if (outcome !== "answered" || !goes_to) return status === null || answer.status === status;
  return (status === null || answer.status === status) && endsOf(goes_to).includes(nameIn(answer));
}

/** The program that answered, or the status of who has no name. */
const nameIn = ({ status, body }: Answer): string =>
  status === 200 && body.startsWith("{") ? (JSON.parse(body) as { name: string }).name : String(status);

const PROGRAMS: Readonly<Record<string, string>> = {
  bkdsc_one: "one",
  bkdsc_two: "two",
  bkdsc_tls: "behind",
  bkdtg_web: "agent",
};

/** Who may answer at the end of a tree; agents are there for one group alone. */
function endsOf(target: Target): string[] {
  switch (target.kind) {
    case "weighted":
      return target.parts.flatMap(({ to }) => endsOf(to));
    case "failover":
      return (
        target.in_order.map(endsOf).find((ends) => ends.some((one) => one !== "503" || isSorry(target))) ?? []
      );
    case "http_response":
      return [String(target.status_code)];
    case "tunnels":
      return ["agent"];
    default:
      return [PROGRAMS[target.name] ?? "503"];
  }
}

const isSorry = (target: Extract<Target, { kind: "failover" }>): boolean =>
  target.in_order.some((one) => one.kind === "http_response");

/** The same objects as `meaning` takes them, named by their ids, with the credentials of the agents. */
function meaningOf(world: AnyWorld): WorldObject[] {
  const named = (kind: string, id: string, fields: object): WorldObject => ({ kind, id, name: id, fields });
  return [
    ...["ipp_a", "ipp_b"].map((id) => named("ip_policy", id, { id })),
    named("tunnel_credential", "cr_1", { acl: ["bind:service=web"] }),
    named("ssh_credential", "sshcr_1", { acl: [`bind:${BOUND.hostport}`] }),
    ...world.map(({ kind, fields }) => named(kind, (fields as { id: string }).id, fields)),
  ];
}
