import { unique } from "../support/api/expect";
import { expectRefusedBut } from "../support/api/refusedBut";
import { sitesOf } from "../support/api/sites";
import type { RestAnswer } from "../support/rest";
import { TwoServers } from "../support/twoServers";

const OFFICE = "10.0.0.0/8";
const EVERYBODY = { cidr: "0.0.0.0/0", action: "allow" };

describe("Guarantees of several servers on one PostgreSQL database", () => {
  const two = new TwoServers();
  const { site, only } = sitesOf(two);
  const guarantee = async (address: string) => {
    const fields = { expect: "refused", addresses: [address], except_networks: [OFFICE] };
    return (await two.created("/guarantees", fields)).id;
  };

  async function expectOneRefused(id: string, changes: (() => Promise<RestAnswer>)[]): Promise<void> {
    const answers = await two.collide(id, ...changes);
    const [made, lost] = answers.toSorted((a, b) => a.status - b.status) as [RestAnswer, RestAnswer];
    const broken = { status: 409, code: "TP_1504", mentions: [id] };
    await expectRefusedBut(
      () => Promise.resolve(lost),
      broken,
      () => Promise.resolve(made),
    );
    expect((await two.other.get(`/guarantees/${id}`)).body.state).to.equal("holds");
  }

  it("hold where one closes an exact hostport while the other opens the wildcard above it", async () => {
    for (const turned of [false, true]) {
      const domain = `${unique("zone")}.example.org`;
      const { ip_restriction } = await only(OFFICE);
      const exact = await site([`app.${domain}:443`], { match: "/", ip_restriction });
      const { edge, routes } = await site([`*.${domain}:443`], { match: "/", ip_restriction });
      const off = { ip_restriction: { ...ip_restriction, enabled: false } };
      const changes = [
        () => two.one.delete(`/edges/https/${exact.edge.id}`),
        () => two.other.patch(`/edges/https/${edge.id}/routes/${routes[0].id}`, off),
      ];
      await expectOneRefused(await guarantee(`app.${domain}:443`), turned ? changes.toReversed() : changes);
    }
  });

  it("hold where one takes another policy while the other widens that policy", async () => {
    const address = `${unique("app")}.example.org:443`;
    const [now, next] = [await only(OFFICE), await only(OFFICE)];
    const { ip_restriction } = now;
    const { edge, routes } = await site([address], { match: "/", ip_restriction });
    const route = `/edges/https/${edge.id}/routes/${routes[0].id}`;
    await expectOneRefused(await guarantee(address), [
      () => two.one.patch(route, { ip_restriction: next.ip_restriction }),
      () => two.other.post("/ip_policy_rules", { ip_policy_id: next.policy, ...EVERYBODY }),
    ]);
  });

  it("hold where one lets an edge serve a covered name while the other opens the edge's policy", async () => {
    const domain = `${unique("zone")}.example.org`;
    const { policy, ip_restriction } = await only(OFFICE);
    const { id } = await two.created("/edges/tls", { hostports: [`free.${domain}:443`], ip_restriction });
    await expectOneRefused(await guarantee(`app.${domain}:443`), [
      () => two.one.patch(`/edges/tls/${id}`, { hostports: [`app.${domain}:443`] }),
      () => two.other.post("/ip_policy_rules", { ip_policy_id: policy, ...EVERYBODY }),
    ]);
  });

  it("contradict each other on one server as on the other: of two made at once, one is refused", async () => {
    for (let round = 0; round < 5; round++) {
      const addresses = [`${unique("app")}.example.org:443`];
      const answers = await Promise.all([
        two.one.post("/guarantees", { expect: "refused", addresses }),
        two.other.post("/guarantees", { expect: "answered", addresses }),
      ]);
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([201, 409]);
    }
  });

  it("have a state that the other server judges when the one that took a change is killed", async () => {
    const address = `${unique("app")}.example.org:443`;
    const { edge } = await site([address], { match: "/" });
    const fields = { expect: "answered", addresses: [address], mode: "report" };
    const made = await two.created("/guarantees", fields);
    expect(made).to.include({ state: "holds", covered: 1 });
    expect((await two.one.delete(`/edges/https/${edge.id}`)).status).to.equal(204);
    await two.servers[0].stop("SIGKILL");
    const { body } = await two.other.get(`/guarantees/${made.id}`);
    expect(body).to.include({ state: "broken", covered: 0 });
    expect(body.judged_at > made.judged_at).to.equal(true);
  });
});
