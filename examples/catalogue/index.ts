import { catalogue } from "@tunnelplane/pulumi";

export const authtoken = catalogue("tunnels.yaml").tunnelCredentials.agent?.token; // shown once, kept encrypted in the state
