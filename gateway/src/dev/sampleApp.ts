import { createServer, type Server } from "node:http";

/** A program to reach through a tunnel. It answers every request alike, and reads no file. */
export const sampleApp = (): Server =>
  createServer((request, response) => {
    request.resume();
    response.setHeader("content-type", "text/plain; charset=utf-8").end("hello from behind the tunnel\n");
  });
