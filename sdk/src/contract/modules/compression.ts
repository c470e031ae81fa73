import { module } from "../core/fields";

/** names.md "Modules of HTTPS routes". */
export const compression = () =>
  module(
    {
      name: "EndpointCompression",
      doc: "Compresses answers with brotli or gzip, as the caller asks in Accept-Encoding: texts, JSON, JavaScript, XML, SVG and WebAssembly of 256 bytes and more.",
    },
    {},
  );
