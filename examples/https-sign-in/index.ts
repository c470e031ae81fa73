import { httpsSignIn } from "./program";

export = async () => httpsSignIn();
