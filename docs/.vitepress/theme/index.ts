import { onContentUpdated } from "vitepress";
import theme from "vitepress/theme";
import { onMounted } from "vue";
import "./style.css";

const HEADINGS = ":is(h1, h2, h3, h4)[id]";
const plain = (anchor: string): string => anchor.replaceAll(/[^\p{L}\p{N}]/gu, "");

/** The heading that the address names; anchors once had another form, `mutual-tls` for `mutual_tls`. */
function target(): Element | undefined {
  const anchor = location.hash.slice(1);
  const headings = [...document.querySelectorAll(HEADINGS)];
  return (
    document.getElementById(anchor) ??
    (anchor ? headings.find(({ id }) => plain(id) === plain(anchor)) : undefined)
  );
}

/** The fold that a deep link leads into, or that stands below its heading. */
function foldOf(found: Element): HTMLDetailsElement | null {
  const around = found.closest("details");
  if (around) return around;
  let below = found.nextElementSibling;
  while (below?.matches("p")) below = below.nextElementSibling;
  return below instanceof HTMLDetailsElement ? below : null;
}

/** Shows what a deep link leads to, and opens its fold. */
function show(): void {
  const found = target();
  if (!found) return;
  const fold = foldOf(found);
  if (fold) fold.open = true;
  if (fold || found.id !== location.hash.slice(1)) found.scrollIntoView();
}

/** The theme's first page has no landmark for what is special about it. */
function mark(): void {
  document.querySelector(".VPHome")?.setAttribute("role", "main");
}

/** Paper cannot be unfolded. */
function openAll(): void {
  for (const fold of document.querySelectorAll("details")) fold.open = true;
}

export default {
  extends: theme,
  setup() {
    for (const when of [onContentUpdated, onMounted])
      when(() => {
        show();
        mark();
      });
    onMounted(() => {
      addEventListener("hashchange", show);
      addEventListener("beforeprint", openAll);
    });
  },
};
