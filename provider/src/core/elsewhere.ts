/** Where an object is, and where a run looks for it. */
interface Places {
  readonly noun: "server" | "project";
  /** In words. */
  readonly from: string;
  readonly to: string;
  /** The setting that leads there, and its value. */
  readonly setting: "address" | "project";
  readonly value: string;
}

/** An object was asked for where it is not: at another server, or in another project. */
export class ElsewhereError extends Error {
  constructor(
    message: string,
    readonly places: Places,
  ) {
    super(message);
  }
}
