import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitepress";
import { examplePages } from "./examples.ts";
import { writeForMachines } from "./machines.ts";
import { anchorOf, withOurRules } from "./markdown.ts";
import { search } from "./search.ts";

const DOCS = fileURLToPath(new URL("..", import.meta.url));

/** A page by its first heading, so that the list of pages says what the page says. */
const page = (path: string) => ({
  text: /^# (.*)$/m.exec(readFileSync(join(DOCS, path), "utf8"))?.[1]?.replaceAll("`", "") ?? path,
  link: `/${path.replace(/(README)?\.md$/, "")}`,
});
const pages = (...paths: string[]) => paths.map(page);

/** The pages of a folder that the generator writes, if it is there. */
const generated = (folder: string) =>
  readdirSync(DOCS)
    .filter((name) => name === folder)
    .flatMap(() => readdirSync(join(DOCS, folder)))
    .filter((name) => name.endsWith(".md") && name !== "README.md")
    .sort()
    .map((name) => page(`${folder}/${name}`));

const REFERENCE = {
  text: "Reference",
  items: pages(
    "reference/README.md",
    "commands.md",
    "catalogue.md",
    "changesets.md",
    "previews.md",
    "meaning.md",
    "events.md",
    "client.md",
  ),
};

export default defineConfig({
  title: "tunnelplane",
  description: "A self-hosted control plane for tunnels that platform teams declare in code",
  cleanUrls: false,
  lastUpdated: false,
  // For those who change the code; they are read in the repository, which draws their diagrams.
  // The other two are for Pulumi's registry, which has pages of its own form.
  srcExclude: ["architecture/**", "_index.md", "installation-configuration.md"],
  buildEnd: writeForMachines,
  rewrites: { "reference/README.md": "reference/index.md" },
  markdown: {
    config: withOurRules,
    anchor: { slugify: anchorOf },
    // Their colours keep the contrast that WCAG asks for.
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
  },
  themeConfig: {
    search,
    outline: [2, 3],
    nav: [
      { text: "Tutorial", link: "/tutorial" },
      { text: "Concepts", link: "/concepts" },
      { text: "Reference", link: "/reference/" },
      { text: "Errors", link: "/errors" },
    ],
    sidebar: {
      "/reference/": [REFERENCE, { text: "Every type", items: generated("reference") }],
      "/": [
        { text: "Begin", items: pages("tutorial.md", "concepts.md", "faq.md", "glossary.md", "support.md") },
        {
          text: "How to",
          items: pages(
            "how-to/grpc.md",
            "how-to/behind-a-load-balancer.md",
            "how-to/unusual-requests.md",
            "how-to/mutual-tls.md",
            "how-to/oidc.md",
            "how-to/ssh-certificates.md",
            "how-to/event-pipelines.md",
            "adopt.md",
            "how-to/guarantees.md",
            "how-to/components.md",
            "how-to/ends.md",
            "how-to/accounts.md",
            "how-to/roles.md",
            "how-to/teams.md",
            "how-to/sign-in.md",
            "how-to/edges-live-on.md",
            "how-to/move.md",
            "how-to/certificates.md",
            "how-to/alarms.md",
            "how-to/from-terraform.md",
            "how-to/hcl.md",
            "how-to/ci.md",
            "how-to/ci-without-keys.md",
            "how-to/ask.md",
            "how-to/traffic.md",
            "review.md",
            "policies.md",
            "gateway.md",
            "native.md",
          ),
        },
        {
          text: "Operate",
          items: [
            ...pages("install.md", "deploy.md", "operations.md", "gateway-operations.md", "console.md"),
            { text: "Backup and recovery", link: "/operations#backup-and-restore" },
            { text: "A lost admin key", link: "/operations#a-lost-admin-key" },
            { text: "Upgrade", link: "/operations#upgrade" },
            ...pages("settings.md", "errors.md", "performance.md", "release.md"),
          ],
        },
        { text: "Examples", items: pages(...examplePages(DOCS)) },
        REFERENCE,
      ],
    },
  },
});
