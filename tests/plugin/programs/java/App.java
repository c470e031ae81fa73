import com.pulumi.Context;
import com.pulumi.Pulumi;
import io.github.tunnelplane.HttpsEdge;
import io.github.tunnelplane.HttpsEdgeArgs;
import io.github.tunnelplane.HttpsEdgeRoute;
import io.github.tunnelplane.HttpsEdgeRouteArgs;
import io.github.tunnelplane.TlsEdge;
import io.github.tunnelplane.TlsEdgeArgs;
import io.github.tunnelplane.TunnelCredential;
import io.github.tunnelplane.TunnelCredentialArgs;
import io.github.tunnelplane.TunnelGroupBackend;
import io.github.tunnelplane.TunnelGroupBackendArgs;
import io.github.tunnelplane.TunnelplaneFunctions;
import io.github.tunnelplane.enums.HttpsEdgeRouteMatchType;
import io.github.tunnelplane.enums.TlsEdgeTlsTerminationModuleMinVersion;
import io.github.tunnelplane.inputs.GetTlsEdgeArgs;
import io.github.tunnelplane.inputs.HttpsEdgeRouteOidcModuleArgs;
import io.github.tunnelplane.inputs.TlsEdgeBackendModuleArgs;
import io.github.tunnelplane.inputs.TlsEdgeTlsTerminationModuleArgs;
import java.util.Map;

public final class App {
    public static void main(String[] args) {
        Pulumi.run(App::declare);
    }

    private static void declare(Context ctx) {
        var config = ctx.config();
        var web = new TunnelGroupBackend("web", TunnelGroupBackendArgs.builder().labels(Map.of("some_key", "web")).build());
        var app = new TlsEdge("app", TlsEdgeArgs.builder()
            .description(config.require("description"))
            .hostports("app.example.com:443")
            .backend(TlsEdgeBackendModuleArgs.builder().backendId(web.id()).build())
            .tlsTermination(TlsEdgeTlsTerminationModuleArgs.builder().minVersion(TlsEdgeTlsTerminationModuleMinVersion.V1_3).build())
            .build());
        var site = new HttpsEdge("site", HttpsEdgeArgs.builder().hostports("www.example.com:443").build());
        new HttpsEdgeRoute("all", HttpsEdgeRouteArgs.builder()
            .edgeId(site.id())
            .matchType(HttpsEdgeRouteMatchType.PathPrefix)
            .match("/")
            .oidc(HttpsEdgeRouteOidcModuleArgs.builder()
                .issuer("https://id.example.com")
                .clientId("site")
                .clientSecret(config.require("clientSecret"))
                .build())
            .build());
        var agent = new TunnelCredential("agent", TunnelCredentialArgs.builder().acl("bind:app.example.com:443").build());
        var found = TunnelplaneFunctions.getTlsEdge(GetTlsEdgeArgs.builder().id(app.id()).build());
        ctx.export("token", agent.token());
        ctx.export("found", found.applyValue(edge -> edge.id()));
        ctx.export("version", found.applyValue(edge -> edge.tlsTermination().get().minVersion().get()));
    }
}
