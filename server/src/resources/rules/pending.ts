import type { Definition, FoundReference } from "@tunnelplane/sdk/contract";
import type { Document } from "../../documents";
import { type Fault, RequestError, refuseFaults } from "../../util";

/** A reference of a body, and the types of objects that may stand there. */
export interface ResolvableReference extends FoundReference {
  readonly targets: readonly Definition[];
}

/** An object as a write will store it. */
export interface PendingWrite {
  readonly id: string;
  /** The name of the object in faults: its id, or `<kind>/<key>` in a change set. */
  readonly name: string;
  readonly definition: Definition;
  /** The id of its project; what it refers to is in the same one. */
  readonly project: string;
  /** The fields that were sent for it, all of them. */
  readonly sent: Document;
  /** The fields of the stored object; undefined for a new one. */
  readonly before: Document | undefined;
  readonly references: readonly ResolvableReference[];
}

/** A stored object that a write will delete. */
export interface PendingDelete {
  readonly id: string;
  readonly name: string;
  /** Whether another object takes its place, and the references to it. */
  readonly isReplaced?: boolean;
  /** The beginning of the message that something prevents the deletion; it may be empty. */
  readonly words: string;
}

/** Takes the faults that the rules find. */
export interface FaultList {
  add(name: string, fault: Fault): void;
  /** Whether an object has a fault already. */
  has(name: string): boolean;
}

/** For one object: the first fault refuses the request. */
export const refusing: FaultList = {
  add(name, fault) {
    if (fault.path.length === 0) throw new RequestError(fault.error, `${name} ${fault.message}`);
    refuseFaults([fault]);
  },
  has: () => false,
};
