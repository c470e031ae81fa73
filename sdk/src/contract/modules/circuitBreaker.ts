import { z } from "zod";
import { module } from "../core/fields";

const DAY = 86_400;

/** names.md "Modules of HTTPS routes". */
export const circuitBreaker = () =>
  module(
    {
      name: "EndpointCircuitBreaker",
      doc: "Answers 503 for a while where the backend fails too often, instead of asking it.",
    },
    {
      tripped_duration: z.int().min(1).max(DAY).default(10).meta({
        description:
          "How long no request reaches the backend, in seconds; up to a `rolling_window` longer, because a gateway looks once in each. At most a day.",
      }),
      rolling_window: z.int().min(1).max(DAY).default(10).meta({
        description: "The time in which requests and errors are counted, in seconds. At most a day.",
      }),
      num_buckets: z.int().min(1).max(128).default(10).meta({
        description:
          "Stored for programs that name it. Gateways count in windows that follow each other, and divide none of them.",
      }),
      volume_threshold: z.int().min(1).max(1_000_000).default(10).meta({
        description: "The fewest requests in a window for which errors count.",
      }),
      error_threshold_percentage: z.number().gt(0).max(100).default(50).meta({
        description:
          "The share of errors (answers of 500 and above, and connections that fail) from which the backend is not asked: a percentage, or at most 1 for a share, so that 0.5 is 50.",
      }),
    },
  );
