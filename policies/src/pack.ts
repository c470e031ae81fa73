import { PolicyPack } from "@pulumi/policy";
import { tunnelPolicies } from ".";

/**
 * The pack as it is: `pulumi preview --policy-pack node_modules/@tunnelplane/policies`. The engine starts the
 * package's `main`.
 */
new PolicyPack("tunnelplane", { policies: tunnelPolicies() });
