import { z } from "zod";
import { defineResource } from "../core/definition";
import { description, metadata, text } from "../core/fields";
import { mark } from "../core/marks";
import { portOf } from "../formats/host";

/** A creation, once the server has chosen the address. */
interface Addressed {
  readonly region: string;
  readonly addr?: string;
}

/** names "Reserved address". */
export const reservedAddr = defineResource({
  type: "ReservedAddr",
  kind: "reserved_addr",
  title: "reserved address",
  doc: "Keeps an address with a port for its project. The server chooses a free port of its `--tcp-ports`.",
  path: "/reserved_addrs",
  listKey: "reserved_addrs",
  idPrefix: "ra",
  fields: {
    description: description(),
    metadata: metadata(),
    region: mark(text(255).default(""), { immutable: true }).meta({
      description: "Stored as sent, for programs that name one. Set at creation only.",
    }),
  },
  computed: {
    addr: mark(z.string(), { made: true }).meta({
      description:
        "The address, `<host>:<port>`: the host of the server's `--tcp-address`, and a port of its `--tcp-ports` that was free.",
      examples: ["tunnels.example.com:20001"],
    }),
  },
  unique: (sent: Addressed) =>
    sent.addr === undefined
      ? []
      : [
          {
            scope: "reserved_port",
            key: String(portOf(sent.addr)),
            path: ["addr"],
            taken: "was reserved just now; try again for another port",
          },
        ],
  sample: { description: "for our database" },
  example: `const address = new tunnels.ReservedAddr("database", { description: "for our database" });
const edge = new tunnels.TcpEdge("database", { hostports: [address.addr] });`,
});
