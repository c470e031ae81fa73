/** No gateway can enforce a declared object. The edge is not served; the message says why. */
export class Unservable extends Error {}
