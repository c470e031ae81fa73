import { apiOnEveryDatabase, expectRefused, immutable, invalid } from "../../support/api/expect";
import { refusedBeside } from "../../support/refusal";
import { Rest } from "../../support/rest";

const inSeconds = (seconds: number): string => new Date(Date.now() + seconds * 1000).toISOString();

apiOnEveryDatabase("An API key with an end", (server) => {
  for (const role of ["member", "admin"]) {
    it(`cannot create a key that outlives it, as the key of ${role === "admin" ? "an admin" : "a member"}`, async () => {
      const end = inSeconds(3600);
      const bot = await server.created("/bot_users", { name: "ci", role });
      const { token } = await server.created("/api_keys", { owner_id: bot.id, expires_at: end });
      const rest = new Rest(server.url, token);
      for (const query of ["", "?dry_run=true"])
        for (const [sooner, later] of [
          [end, inSeconds(3601)],
          [inSeconds(1800), "2999-01-01T00:00:00Z"],
        ]) {
          const { allowed } = await refusedBeside({
            refused: () => rest.post(`/api_keys${query}`, { expires_at: later }),
            as: invalid("expires_at", end),
            allowed: () => rest.post(`/api_keys${query}`, { expires_at: sooner }),
          });
          expect(allowed.body.expires_at).to.equal(sooner);
        }
      const child = (await rest.post("/api_keys", {})).body;
      expect(child.expires_at, "where nothing is said").to.equal(end);
      expect((await server.read(child.uri)).expires_at).to.equal(end);
      const grandchild = await new Rest(server.url, child.token).post("/api_keys", {
        description: "of a key that was made",
      });
      expect(grandchild.body.expires_at).to.equal(end);
      expectRefused(await rest.patch(child.uri, { expires_at: inSeconds(7200) }), immutable("expires_at"));
    });
  }

  it("cannot create one for others either", async () => {
    const end = inSeconds(3600);
    const { token } = await server.created("/api_keys", { expires_at: end });
    const rest = new Rest(server.url, token);
    const bot = (await rest.post("/bot_users", { name: "accomplice", role: "admin" })).body;
    const { allowed } = await refusedBeside({
      refused: () => rest.post("/api_keys", { owner_id: bot.id, expires_at: inSeconds(7200) }),
      as: invalid("expires_at"),
      allowed: () => rest.post("/api_keys", { owner_id: bot.id }),
    });
    expect(allowed.body.expires_at).to.equal(end);
  });
});
