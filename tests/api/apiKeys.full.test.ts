import { expectRefused, immutable, serverOfThisFile } from "../support/api/expect";
import { expectRefusedBut } from "../support/api/refusedBut";
import { onOneDatabase } from "../support/databases";
import { Rest, type RestAnswer } from "../support/rest";
import { MOVABLE_CLOCK, type ServerProcess } from "../support/server";

const inSeconds = (seconds: number): string => new Date(Date.now() + seconds * 1000).toISOString();
const expired = { status: 401, code: "TP_1102" };

onOneDatabase("An API key", (start) => {
  let running: ServerProcess;
  const server = serverOfThisFile(async () => {
    running = await start({ env: MOVABLE_CLOCK });
    return running;
  });

  /** Lets hours pass until a key is refused, and returns the refusal; the test times out if it never is. */
  const refusalOf = async (rest: Rest): Promise<RestAnswer> => {
    for (;;) {
      running.passAnHour();
      const answer = await rest.get("/ip_policies");
      if (answer.status !== 200) return answer;
    }
  };

  it("is accepted until it expires, and then refused with an error that says so", async () => {
    const expires_at = inSeconds(1_800);
    const key = await server.created("/api_keys", { expires_at });
    expect(key.expires_at).to.equal(expires_at);
    const rest = new Rest(server.url, key.token);
    expect((await rest.get("/ip_policies")).status).to.equal(200);
    const answer = await refusalOf(rest);
    expectRefused(answer, { ...expired, mentions: ["expired", expires_at] });
    expect(answer.headers.get("www-authenticate")).to.match(/^Bearer\b/);
    expect(answer.text).not.to.include(key.token);
    await expectRefusedBut(
      () => rest.post("/ip_policies", {}),
      expired,
      () => server.rest.post("/ip_policies", {}),
    );
  });

  it("keeps its end in every update, even after it has expired", async () => {
    const key = await server.created("/api_keys", { expires_at: inSeconds(36_000) });
    await expectRefusedBut(
      () => server.rest.patch(key.uri, { expires_at: inSeconds(72_000) }),
      immutable("expires_at"),
      () => server.rest.patch(key.uri, { description: "as before" }),
    );
    const rest = new Rest(server.url, key.token);
    await refusalOf(rest);
    const { last_used_at, ...updated } = (await server.rest.patch(key.uri, { description: "of last year" }))
      .body;
    expect(last_used_at).to.be.a("string");
    const { last_used_at: _, ...made } = key;
    expect(updated).to.deep.equal({ ...made, token: null, description: "of last year" });
  });
});
