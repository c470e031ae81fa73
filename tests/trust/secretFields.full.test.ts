import { marksOf, registry, secretPathsOf } from "@tunnelplane/sdk/contract";
import { z } from "zod";

/** The number of fields that are marked as secret, also below lists and maps, where no code looks. */
function marked(schema: z.ZodType): number {
  const inner = schema as z.ZodType & {
    unwrap?: () => z.ZodType;
    element?: z.ZodType;
    shape?: Record<string, z.ZodType>;
    valueType?: z.ZodType;
  };
  if (marksOf(schema).secret) return 1;
  if (marksOf(schema).embeds) return 0;
  const below = [
    inner.element,
    inner.valueType,
    ...Object.values(inner.shape ?? {}),
    ...(inner.unwrap && !inner.element ? [inner.unwrap()] : []),
  ];
  return below.reduce((sum, one) => sum + (one instanceof z.ZodType ? marked(one) : 0), 0);
}

describe("The contract's secrets", () => {
  const paths = Object.fromEntries(
    registry
      .map((definition) => [definition.kind, secretPathsOf(definition)])
      .filter(([, found]) => found?.length),
  );

  it("are exactly these", () => {
    expect(paths).to.deep.equal({
      tunnel_credential: ["token"],
      https_edge_route: ["oidc.client_secret", "webhook_verification.secret"],
      tls_certificate: ["private_key_pem"],
      event_destination: [
        "target.delivery_service.auth.creds.cloud_secret_access_key",
        "target.stream_service.auth.creds.cloud_secret_access_key",
        "target.log_service.auth.creds.cloud_secret_access_key",
        "target.monitoring_service.api_key",
        "target.webhook.secret",
        "target.webhook.headers",
      ],
      api_key: ["token"],
    });
  });

  it("are only in places where code looks for them, so not in lists", () => {
    for (const definition of registry) {
      const fields = Object.values({ ...definition.fields, ...definition.computed });
      expect(
        fields.reduce((sum, field) => sum + marked(field), 0),
        definition.kind,
      ).to.equal(secretPathsOf(definition).length);
    }
  });
});
