import { h } from "../console/dom.mjs";

/** The language in which all samples are shown; a reload forgets it. */
let chosen = "curl";

/** The samples of an operation, one at a time; the choice goes for all operations. */
export function samplesOf({ samples, summary }) {
  const code = h("pre", { tabindex: "0", "aria-label": `${summary}, in code` });
  const buttons = samples.map(({ label }) =>
    h("button", { type: "button", "data-language": label, onclick: () => choose(label) }, label),
  );
  const box = h(
    "div",
    { class: "samples" },
    h("div", { class: "tabs", role: "group", "aria-label": "Language" }, ...buttons, copyButton(code)),
    code,
  );
  box.addEventListener("choose", () => {
    const { source } = samples.find(({ label }) => label === chosen) ?? samples[0];
    code.replaceChildren(...coloured(source.trimEnd()));
    for (const button of buttons)
      button.setAttribute("aria-pressed", String(button.dataset.language === chosen));
  });
  box.dispatchEvent(new Event("choose"));
  return box;
}

function choose(label) {
  chosen = label;
  const at = document.activeElement;
  const before = at?.getBoundingClientRect().top;
  for (const box of document.querySelectorAll(".samples")) box.dispatchEvent(new Event("choose"));
  // Samples above may have become longer or shorter; the button stays where it was.
  if (before !== undefined) scrollBy(0, at.getBoundingClientRect().top - before);
}

/** Browsers let pages copy only over HTTPS and on the machine itself. */
function copyButton(code) {
  if (!navigator.clipboard) return undefined;
  const button = h("button", { type: "button", class: "copy" }, "Copy");
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(code.textContent).then(
      () => say("Copied"),
      () => say("The browser refused"),
    );
  });
  const say = (text) => {
    button.textContent = text;
    setTimeout(() => button.replaceChildren("Copy"), 2000);
  };
  return button;
}

const PARTS =
  /("(?:[^"\\\n]|\\.)*"|'(?:[^'\\]|\\.)*')|\b(import|from|const|await|for|of|new|with|as|print|curl|True|False|None|true|false|null)\b|(\b\d+(?:\.\d+)?\b)/g;
const CLASSES = ["text", "word", "number"];

/** Code with its texts, words and numbers in colours. */
export function coloured(source) {
  const nodes = [];
  let end = 0;
  for (const match of source.matchAll(PARTS)) {
    const kind = CLASSES[match.slice(1).findIndex((part) => part !== undefined)];
    nodes.push(source.slice(end, match.index), h("span", { class: `code-${kind}` }, match[0]));
    end = match.index + match[0].length;
  }
  nodes.push(source.slice(end));
  return nodes;
}
