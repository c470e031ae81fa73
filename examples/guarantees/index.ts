import { guarded } from "./program";

export = async () => guarded();
