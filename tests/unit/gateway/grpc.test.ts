import { statSync } from "node:fs";
import { connect } from "node:http2";
import { createConnection } from "node:net";
import { join } from "node:path";
import { GrpcServer, type GrpcStream } from "../../../gateway/dist/ads/grpc";
import { newFolder } from "../../support/folder";

const MIB = Buffer.alloc(1 << 20);

describe("The stream that feeds Envoy", () => {
  let socket: string;
  let server: GrpcServer;
  let opened: Promise<GrpcStream>;
  let hasEnded: boolean;
  beforeEach("serve one method", async () => {
    socket = join(newFolder(), "ads.sock");
    hasEnded = false;
    let open: (stream: GrpcStream) => void = () => undefined;
    opened = new Promise((resolve) => {
      open = resolve;
    });
    const ended = () => {
      hasEnded = true;
    };
    server = await GrpcServer.start(socket, {
      path: "/method",
      open: (stream) => {
        open(stream);
        return { message: () => undefined, end: ended };
      },
    });
  });
  afterEach(() => server.stop());

  function caller() {
    const session = connect("http://envoy", { createConnection: () => createConnection(socket) });
    const request = session.request({ ":method": "POST", ":path": "/method" }, { endStream: false });
    return request.on("error", () => undefined);
  }

  it("ends where an Envoy stopped reading and 64 MiB wait for it", async () => {
    caller();
    const stopped = await opened;
    for (let sent = 0; sent < 100; sent++) stopped.send([MIB]);
    await new Promise(setImmediate);
    expect(hasEnded).to.equal(true);
  });

  it("goes on, however much is sent, while Envoy reads", async () => {
    let read = 0;
    caller().on("data", (bytes: Buffer) => {
      read += bytes.length;
    });
    const stream = await opened;
    for (let sent = 1; sent <= 100; sent++) {
      stream.send([MIB]);
      while (read < sent * MIB.length) await new Promise(setImmediate);
    }
    expect(hasEnded).to.equal(false);
    expect(statSync(socket).mode & 0o777).to.equal(0o600);
  });
});
