import { CollectorStandIn } from "../support/collector";
import type { Engine } from "../support/engine";
import { World } from "../support/provider";
import { onEveryProvider } from "../support/providers";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT = "00f067aa0ba902b7";

onEveryProvider("OpenTelemetry", (tunnels) => {
  it("gets a span for each step of a deployment, in the pipeline's trace, with the server's requests in it", async () => {
    const collector = await CollectorStandIn.start();
    const world = new World();
    const server = await world.server({ env: collector.env });
    let description = "very-own-words";
    const program = async () => void new tunnels.IpPolicy("office", { description });
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      TRACEPARENT: `00-${TRACE}-${PARENT}-01`,
      TUNNELPLANE_VALIDATE_ON_SERVER: "true",
    };
    const stack = await world.stack(server, program, { env });
    const deploy = async (run: (stack: Engine) => Promise<unknown>, step: string, request: string) => {
      await run(stack);
      const span = await collector.span(({ name }) => name === `${step} ip_policy`);
      expect(span).to.include({ traceId: TRACE, parentSpanId: PARENT, service: "tunnelplane-pulumi" });
      const asked = await collector.span(
        ({ name, parentSpanId }) => name === request && parentSpanId === span.spanId,
      );
      expect(asked).to.include({ traceId: TRACE, service: "tunnelplane" });
    };
    await deploy((stack) => stack.preview(), "preview", "POST /ip_policies");
    await deploy((stack) => stack.up(), "create", "POST /ip_policies");
    description = "other-very-own-words";
    await deploy((stack) => stack.up(), "update", "PATCH /ip_policies/:id");
    await deploy((stack) => stack.refresh(), "read", "GET /ip_policies/:id");
    await deploy((stack) => stack.destroy(), "delete", "DELETE /ip_policies/:id");
    expect(collector.text).not.to.match(/very-own-words|tpk_|\bipp_/);
  });
});
