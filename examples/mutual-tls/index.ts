import { mutualTls } from "./program";

export = async () => mutualTls();
