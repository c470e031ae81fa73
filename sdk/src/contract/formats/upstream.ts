import { z } from "zod";
import { mark } from "../core/marks";

/** What an application speaks behind an HTTPS edge, and what a TLS edge offers callers on its behalf. */
export const protocol = () =>
  z.enum(["auto", "http1", "http2"]).default("auto").meta({
    description:
      "What the application speaks. `http1` and `http2` are always used. `auto`: with TLS what it chooses (ALPN), and without HTTP/2 for gRPC alone. TLS edges offer callers `http/1.1`, `h2`, or for `auto` either. Default `auto`.",
  });

/** In seconds. */
export const DEFAULT_IDLE_TIMEOUT = 300;

/** In seconds; 0, elsewhere no limit, is refused: a gateway keeps no silent connection for ever. */
export const idleTimeout = () =>
  mark(z.int().min(1).max(86_400), { takesZero: true })
    .default(DEFAULT_IDLE_TIMEOUT)
    .meta({
      description: `After how many seconds without a byte in either direction a request, a WebSocket or a connection is ended, 1 to 86,400. Default ${DEFAULT_IDLE_TIMEOUT}.`,
    });
