import { backend, fixed } from "../worlds";
import type { AnyWorld } from "./parts";

/** Backends that both kinds of edges may have, those with an HTTP response, and those that no gateway serves. */
export const PLAIN =
  "bkdsc_one bkdwd_one bkdwd_zero bkdfo_first bkdfo_nested bkdfo_zero bkdtg_web bkdtg_alone bkdfo_alone".split(
    " ",
  );
export const HTTP = "bkdhr_ok bkdhr_sorry bkdwd_both bkdwd_mixed bkdwd_nested bkdfo_sorry bkdfo_after".split(
  " ",
);
export const FAULTY = ["bkd_missing", "bkdfo_circle", "bkdwd_hole", "bkdfo_split"];
/** What agents bind, and may bind: the group of bkdtg_web, and one hostport. */
export const BOUND = { labels: { service: "web" }, hostport: "app.example.com:443" } as const;

export const allBackends: AnyWorld = [
  fixed("bkdsc_one", "10.0.0.1:8080"),
  fixed("bkdsc_two", "two.internal:8080"),
  fixed("bkdsc_tls", "behind.internal:443"),
  backend("tunnel_group", "bkdtg_web", { labels: BOUND.labels }),
  backend("tunnel_group", "bkdtg_alone", { labels: { service: "other" } }),
  backend("http_response", "bkdhr_ok", { status_code: 200, body: "ok", headers: {} }),
  backend("http_response", "bkdhr_sorry", { status_code: 503, body: "", headers: {} }),
  backend("weighted", "bkdwd_one", { backends: { bkdsc_one: 3, bkdsc_two: 0 } }),
  backend("weighted", "bkdwd_zero", { backends: { bkdsc_one: 0 } }),
  backend("weighted", "bkdwd_both", { backends: { bkdsc_one: 1, bkdsc_two: 1 } }),
  backend("weighted", "bkdwd_mixed", { backends: { bkdsc_one: 1, bkdhr_ok: 1 } }),
  backend("weighted", "bkdwd_nested", { backends: { bkdwd_both: 1, bkdfo_sorry: 2 } }),
  backend("weighted", "bkdwd_hole", { backends: { bkdsc_one: 1, bkdwd_zero: 1 } }),
  backend("failover", "bkdfo_first", { backends: ["bkdtg_alone", "bkdsc_one", "bkdsc_two"] }),
  backend("failover", "bkdfo_nested", { backends: ["bkdwd_zero", "bkdfo_alone", "bkdfo_first"] }),
  backend("failover", "bkdfo_zero", { backends: ["bkdwd_zero", "bkdfo_none"] }),
  backend("failover", "bkdfo_none", { backends: [] }),
  backend("failover", "bkdfo_alone", { backends: ["bkdtg_alone"] }),
  backend("failover", "bkdfo_sorry", { backends: ["bkdtg_alone", "bkdhr_sorry", "bkdsc_one"] }),
  backend("failover", "bkdfo_after", { backends: ["bkdsc_two", "bkdhr_ok"] }),
  backend("failover", "bkdfo_split", { backends: ["bkdwd_both", "bkdsc_two"] }),
  backend("failover", "bkdfo_circle", { backends: ["bkdsc_one", "bkdfo_round"] }),
  backend("failover", "bkdfo_round", { backends: ["bkdfo_circle"] }),
];
