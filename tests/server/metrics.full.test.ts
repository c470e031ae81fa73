import { apiOnOneDatabase, expectRefused } from "../support/api/expect";
import { Rest } from "../support/rest";

apiOnOneDatabase("Metrics", (server) => {
  const scrape = async (key: string) =>
    fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${key}` } });
  const adminsKey = () => server.headersWithout().authorization?.replace("Bearer ", "") ?? "";
  const count = (text: string, labels: string): number =>
    Number(
      new RegExp(`^tunnelplane_http_request_duration_seconds_count\\{${labels}\\} (\\d+)$`, "m").exec(
        text,
      )?.[1] ?? 0,
    );

  it("cover requests, process and release, in the Prometheus format, for an admin's scraper", async () => {
    const policy = await server.created("/ip_policies", {});
    for (let i = 0; i < 3; i++) await server.rest.get(policy.uri);
    await server.rest.get("/ip_policies/ipp_none");
    await server.rest.get("/nowhere");
    const answer = await scrape(adminsKey());
    const text = await answer.text();
    expect(answer.status, text).to.equal(200);
    expect(answer.headers.get("content-type")).to.match(/^text\/plain; version=0\.0\.4/);
    expect(count(text, 'method="POST",route="/ip_policies",status="201"')).to.equal(1);
    expect(count(text, 'method="GET",route="/ip_policies/:id",status="200"')).to.equal(3);
    expect(count(text, 'method="GET",route="/ip_policies/:id",status="404"')).to.equal(1);
    expect(count(text, 'method="GET",route="none",status="404"')).to.equal(1);
    expect(text).to.match(/^process_resident_memory_bytes \d+/m);
    expect(text).to.match(/^tunnelplane_build_info\{version="\d+\.\d+\.\d+[^"]*",node="v\d+[^"]*"\} 1$/m);
  });

  it("contain no id, no key and no text from clients", async () => {
    const { id, token } = await server.created("/api_keys", { description: "very-own-words" });
    await new Rest(server.url, token).get(`/api_keys/${id}?limit=very-own-words`);
    await server.rest.get("/very-own-words");
    const text = await (await scrape(adminsKey())).text();
    expect(text).not.to.match(/very-own-words|tpk_|\bak_/);
  });

  it("are closed to everybody else", async () => {
    const { key } = await server.member();
    expect((await scrape(key.token)).status).to.equal(403);
    expect((await scrape("tpk_guess")).status).to.equal(401);
    expectRefused(await server.bare("/metrics", {}), { status: 401, code: "TP_1100" });
  });
});
