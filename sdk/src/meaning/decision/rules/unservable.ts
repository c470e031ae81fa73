/** No gateway can enforce a declared object. The edge is not served; the message says why. */
export class Unservable extends Error {}

/** Why an edge is closed whose objects another server stored in a form that is not known here. */
export const unreadable = (fault: string): string =>
  `this gateway cannot read it (${fault}): upgrade this gateway, or declare the edge anew`;
