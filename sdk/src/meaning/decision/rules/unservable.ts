/** Something that was declared and that no gateway can enforce: the edge is not served, and this is why. */
export class Unservable extends Error {}
