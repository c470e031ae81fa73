import { h } from "../console/dom.mjs";

/** Something folded away. It is made when somebody opens it: a page has thousands of fields. */
export function folded(title, make, props = {}) {
  const box = h("details", props, h("summary", {}, title));
  box.addEventListener("toggle", () => {
    if (box.open && box.childElementCount === 1) box.append(...[make()].flat());
  });
  return box;
}
