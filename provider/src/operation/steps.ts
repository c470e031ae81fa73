import { Kind } from "./kind";
import type { Operation } from "./operation";
import { Preview } from "./preview";
import { Run } from "./run";

/**
 * The steps of one kind of resource in an operation: the lifecycle, with the work around it that every host
 * needs.
 */
export class Steps {
  readonly kind: Kind;
  readonly lifecycle: Kind["lifecycle"];
  readonly preview: Preview;
  readonly run: Run;

  constructor(operation: Operation, kind: string) {
    this.kind = new Kind(operation, kind);
    this.lifecycle = this.kind.lifecycle;
    this.preview = new Preview(this.kind);
    this.run = new Run(this.kind);
  }
}
