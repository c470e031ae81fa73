import { h } from "./dom.mjs";
import { problemOf } from "./problems.mjs";

/**
 * Asks before something ends that does not come back, does it, and shows the server's error where it refuses:
 * the question stays open then.
 * @param question what is about to happen, as a question
 * @param sentences what people should know before they say yes
 * @param does the word on the button that does it
 * @param act does it
 * @param after is called when it is done
 */
export function confirmed({ question, sentences, does, act, after }) {
  const problem = h("div");
  const cancel = h("button", { type: "button", autofocus: true }, "Cancel");
  const yes = h("button", { type: "button", class: "grave" }, does);
  const dialog = h(
    "dialog",
    { class: "confirm", "aria-labelledby": "confirm-question", "aria-describedby": "confirm-sentences" },
    h("h2", { id: "confirm-question" }, question),
    h("div", { id: "confirm-sentences" }, ...sentences.map((sentence) => h("p", {}, sentence))),
    problem,
    h("div", { class: "buttons" }, cancel, yes),
  );
  // Another page, by the browser's way back, answers no.
  const close = () => dialog.close();
  addEventListener("hashchange", close);
  dialog.addEventListener("close", () => {
    removeEventListener("hashchange", close);
    dialog.remove();
  });
  cancel.addEventListener("click", close);
  yes.addEventListener("click", async () => {
    yes.disabled = true;
    problem.replaceChildren();
    try {
      await act();
      dialog.close();
      after();
    } catch (error) {
      yes.disabled = false;
      problem.replaceChildren(problemOf(error));
      // Somebody closed it meanwhile, and would take it for done.
      if (!dialog.isConnected) show(dialog);
    }
  });
  show(dialog);
}

function show(dialog) {
  document.body.append(dialog);
  dialog.showModal();
}
