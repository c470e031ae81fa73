import { ask } from "./api.mjs";
import { badge, h, inMarks } from "./dom.mjs";
import { kindOfId, objectLink, pageOf } from "./links.mjs";
import { targetTree } from "./targets.mjs";

/**
 * A form that asks the server what happens to a request, and shows its answer.
 * @param wanted the address of the page
 * @param rows the exposure of that address
 */
export function askForm(wanted, rows) {
  const isHttp = rows.length === 0 || rows.some(({ route }) => route);
  const [, hostport = wanted, path = ""] = /^([^/ ]+)(?: = )?(.*)$/.exec(rows[0]?.address ?? wanted) ?? [];
  const fields = {
    address: text("Address", { value: hostport }),
    ...(isHttp && {
      method: text("Method", { value: "GET" }),
      path: text("Path", { value: (rows.length > 1 ? "" : path) || "/" }),
    }),
    from: text("From this IP address or network", { placeholder: "198.51.100.7", required: true }),
    certificate: choice("Client certificate", [
      ["", "none"],
      ...authoritiesIn(rows),
      ["other", "of another authority"],
    ]),
    ...(isHttp && {
      token: choice("Token", [["", "none"], ...issuersIn(rows), ["invalid", "one that nobody accepts"]]),
      agent: text("User agent", { placeholder: "none" }),
      session: tick("Signed in"),
    }),
  };
  const problem = h("p", { role: "alert", class: "problem" });
  const shown = h("div", { class: "decision", "aria-live": "polite" });
  // The server says what is wrong with a field, not the browser.
  const form = h(
    "form",
    { class: "ask", novalidate: true },
    ...Object.values(fields).map(({ label }) => label),
    h("button", { type: "submit" }, "Ask"),
  );
  let turn = 0;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const mine = ++turn;
    problem.textContent = "";
    shown.setAttribute("aria-busy", "true");
    try {
      const { decisions } = await ask("/exposure/decisions", { requests: [requestIn(fields)] });
      if (mine === turn) shown.replaceChildren(...decisionParts(decisions[0]));
    } catch (error) {
      if (mine !== turn) return;
      shown.replaceChildren();
      problem.textContent = error.message;
    } finally {
      if (mine === turn) shown.removeAttribute("aria-busy");
    }
  });
  return h(
    "section",
    { "aria-label": "Ask about a request" },
    h("h2", {}, "Can this caller reach it?"),
    form,
    problem,
    shown,
  );
}

function requestIn({ address, method, path, from, certificate, token, agent, session }) {
  const issuer = token?.control.value;
  return {
    address: address.control.value.trim(),
    ...(method && { method: method.control.value.trim() }),
    ...(path && { path: path.control.value }),
    from: from.control.value.trim(),
    client_certificate: certificate.control.value ? { authority: certificate.control.value } : null,
    ...(token && { token: issuer ? (issuer === "invalid" ? issuer : { issuer }) : null }),
    ...(agent && { user_agent: agent.control.value || null }),
    ...(session && { session: session.control.checked ? {} : null }),
  };
}

/** The decision and its steps, in the server's words. */
function decisionParts({ outcome, sentence, goes_to: target, limited, steps }) {
  const edge = steps.find((step) => step.kind === "https_edge")?.id;
  const kind = ["answered", "unserved"].includes(outcome)
    ? "guard"
    : outcome === "unknown"
      ? "plain"
      : "shut";
  return [
    h(
      "p",
      {},
      badge(outcome.replaceAll("_", " "), kind),
      " ",
      limited && [badge("rate limit"), " "],
      h("strong", {}, inMarks(sentence)),
    ),
    h(
      "ol",
      {},
      ...steps.map((step) =>
        h(
          "li",
          {},
          inMarks(step.sentence),
          " ",
          objectLink({ ...step, parent_id: edge }),
          " ",
          fieldLink({ ...step, parent_id: edge }),
        ),
      ),
    ),
    target && targetTree(target),
  ].filter(Boolean);
}

/** The field of a step: a module has a page of its own. */
function fieldLink(step) {
  const isModule = step.id && kindOfId(step.id)?.modules.some(({ name }) => name === step.field);
  const field = h("code", {}, step.field);
  return isModule ? h("a", { href: `${pageOf(step)}/${step.field}` }, field) : field;
}

/** The authorities whose certificates an address accepts, each once. */
const authoritiesIn = (rows) => [
  ...new Map(
    rows
      .flatMap(({ client_certificate: asked }) => asked?.authorities ?? [])
      .flatMap(({ id, subject }) => (id ? [[id, `of ${subject}`]] : [])),
  ),
];

const issuersIn = (rows) =>
  [...new Set(rows.flatMap(({ token }) => token?.issuers ?? []))].map((issuer) => [issuer, `of ${issuer}`]);

/** A text to fill in, with its label. */
function text(name, props) {
  const control = h("input", { type: "text", autocomplete: "off", spellcheck: "false", ...props });
  return { control, label: h("label", {}, name, control) };
}

/** @param options the value of each, and what it is called */
function choice(name, options) {
  const control = h("select", {}, ...options.map(([value, called]) => h("option", { value }, called)));
  return { control, label: h("label", {}, name, control) };
}

function tick(name) {
  const control = h("input", { type: "checkbox" });
  return { control, label: h("label", { class: "tick" }, control, name) };
}
