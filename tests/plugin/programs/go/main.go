package main

import (
	tunnels "github.com/tunnelplane/pulumi-tunnelplane-go"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		settings := config.New(ctx, "")
		web, err := tunnels.NewTunnelGroupBackend(ctx, "web", &tunnels.TunnelGroupBackendArgs{
			Labels: pulumi.StringMap{"some_key": pulumi.String("web")},
		})
		if err != nil {
			return err
		}
		app, err := tunnels.NewTlsEdge(ctx, "app", &tunnels.TlsEdgeArgs{
			Description:    pulumi.String(settings.Require("description")),
			Hostports:      pulumi.StringArray{pulumi.String("app.example.com:443")},
			Backend:        tunnels.TlsEdgeBackendModuleArgs{BackendId: web.ID()},
			TlsTermination: tunnels.TlsEdgeTlsTerminationModuleArgs{MinVersion: tunnels.TlsEdgeTlsTerminationModuleMinVersion_V1_3},
		})
		if err != nil {
			return err
		}
		site, err := tunnels.NewHttpsEdge(ctx, "site", &tunnels.HttpsEdgeArgs{
			Hostports: pulumi.StringArray{pulumi.String("www.example.com:443")},
		})
		if err != nil {
			return err
		}
		if _, err := tunnels.NewHttpsEdgeRoute(ctx, "all", &tunnels.HttpsEdgeRouteArgs{
			EdgeId:    site.ID(),
			MatchType: tunnels.HttpsEdgeRouteMatchTypePathPrefix,
			Match:     pulumi.String("/"),
			Oidc: tunnels.HttpsEdgeRouteOidcModuleArgs{
				Issuer:       pulumi.String("https://id.example.com"),
				ClientId:     pulumi.String("site"),
				ClientSecret: pulumi.String(settings.Require("clientSecret")),
			},
		}); err != nil {
			return err
		}
		agent, err := tunnels.NewTunnelCredential(ctx, "agent", &tunnels.TunnelCredentialArgs{
			Acl: pulumi.StringArray{pulumi.String("bind:app.example.com:443")},
		})
		if err != nil {
			return err
		}
		found := tunnels.LookupTlsEdgeOutput(ctx, tunnels.LookupTlsEdgeOutputArgs{Id: app.ID()})
		ctx.Export("token", agent.Token)
		ctx.Export("found", found.Id())
		ctx.Export("version", found.TlsTermination().MinVersion())
		return nil
	})
}
