import { expect } from "chai";
import { describeByHostedGoClient } from "../../support/hostedClient";

describeByHostedGoClient("IP policies, by the hosted service's public Go client,", (client) => {
  it("are created, read, changed, listed to the end and deleted", async () => {
    const made = await client().call("ip_policies", "Create", { description: "office", metadata: "v1" });
    expect(made).to.include({ description: "office", metadata: "v1" });
    expect(made.id).to.match(/^ipp_/);
    expect(await client().call("ip_policies", "Get", made.id)).to.deep.equal(made);
    const changed = await client().call("ip_policies", "Update", { id: made.id, description: "offices" });
    expect(changed).to.deep.equal({ ...made, description: "offices" });
    for (const description of ["two", "three"]) await client().call("ip_policies", "Create", { description });
    const listed = await client().call("ip_policies", "List", { limit: "2" });
    expect(listed.map(({ description }: { description: string }) => description)).to.have.members([
      "offices",
      "two",
      "three",
    ]);
    await client().call("ip_policies", "Delete", made.id);
    expect((await client().refusal("ip_policies", "Get", made.id)).status).to.equal(404);
  });
});
