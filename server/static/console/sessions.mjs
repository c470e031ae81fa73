import { page, remove } from "./api.mjs";
import { h, row, time } from "./dom.mjs";
import { guide, nothing, pages } from "./lists.mjs";
import { problemOf } from "./problems.mjs";

const KINDS = { console: "console", command_line: "command line" };

/** Who is signed in, and a button that ends each session. For admins. */
export async function sessions(_rest, caller) {
  const problem = h("div");
  const list = pages({
    caption: "Sessions, newest first",
    columns: ["User", "With", "Since", "Until", "From", "End"],
    first: await page("/sessions?limit=100", "sessions"),
    next: (path) => page(path, "sessions"),
    rowOf: (one) => {
      const isOwn = one.id === caller.key_id;
      const end = h("button", { type: "button", "aria-label": `End the session of ${one.user_name}` }, "End");
      const line = row(
        [one.user_name, h("div", { class: "hint" }, one.user_id)],
        KINDS[one.kind] ?? one.kind,
        time(one.created_at),
        time(one.expires_at),
        one.client,
        isOwn ? "this one" : end,
      );
      end.addEventListener("click", async () => {
        end.disabled = true;
        try {
          await remove(`/sessions/${one.id}`);
          end.replaceWith("ended");
        } catch (error) {
          end.disabled = false;
          problem.replaceChildren(problemOf(error));
        }
      });
      return line;
    },
    empty: nothing("Nobody is signed in.", {
      next: "People sign in where the server has an identity provider; API keys have no sessions.",
      more: guide("how-to/sign-in.md", "Let people sign in"),
    }),
  });
  return {
    title: "Sessions",
    nodes: [h("p", { class: "lead" }, "Who is signed in. What ends here, ends at once."), problem, list],
  };
}
