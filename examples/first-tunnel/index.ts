import { firstTunnel } from "./program";

// Pulumi runs the exported function and shows what it returns as the stack's outputs.
export = async () => firstTunnel();
