import { ask } from "./api.mjs";
import { confirmed } from "./confirm.mjs";
import { h } from "./dom.mjs";

/** The ways to end a session of an agent: what they are called, and what people should know before. */
const WAYS = [
  {
    path: "stop",
    does: "Stop",
    done: "stopped",
    tells: ({ ip }) => [
      `Its gateway hangs up at once, and for a minute no gateway lets this credential in from ${ip}. What it serves gets no answer from this agent.`,
      "Other sessions of the credential go on. To keep it out for good, delete the credential.",
    ],
  },
  {
    path: "restart",
    does: "Restart",
    done: "restarted",
    tells: () => [
      "Its gateway hangs up at once. An agent that a supervisor starts again comes back by itself, as a new session; another one stays away.",
    ],
  },
];

/**
 * Buttons that stop and restart a session of an agent, each after a question. The words in their place say
 * what became of it.
 * @param name the name of its credential
 */
export function endButtons(session, name) {
  const box = h("div", { class: "ends" });
  const whose = `the session of ${name} from ${session.ip}`;
  box.append(
    ...WAYS.map(({ path, does, done, tells }) => {
      const button = h("button", { type: "button", "aria-label": `${does} ${whose}` }, does);
      button.addEventListener("click", () =>
        confirmed({
          question: `${does} ${whose}?`,
          sentences: tells(session),
          does,
          act: () => ask(`/tunnel_sessions/${encodeURIComponent(session.id)}/${path}`, {}),
          after: () => {
            const words = h("span", { tabindex: "-1" }, done);
            box.replaceChildren(words);
            words.focus();
          },
        }),
      );
      return button;
    }),
  );
  return box;
}
