import { eventPipeline } from "./program";

export = async () => eventPipeline();
