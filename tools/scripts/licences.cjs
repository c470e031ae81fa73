// Writes an SBOM of the packages that npm installs for users of the published ones, and checks their
// licences.
const { execFileSync } = require("node:child_process");

/** Licences that ask for no more than their text and the authors' names. */
const ACCEPTED = new Set([
  "0BSD",
  "Apache-2.0",
  "BlueOak-1.0.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "CC-BY-3.0",
  "CC0-1.0",
  "ISC",
  "MIT",
  "Python-2.0",
  "Unlicense",
  "Zlib",
]);

/** Packages whose package.json names no licence that npm reads, by the file that states it. */
const STATED = { "@logdna/tail-file": "MIT" };

/** The CycloneDX document of everything that is installed in a project's folder. */
const sbomOf = (folder) =>
  JSON.parse(
    execFileSync("npm", ["sbom", "--sbom-format", "cyclonedx"], {
      cwd: folder,
      encoding: "utf8",
      env: { ...process.env, npm_config_loglevel: "error" },
      maxBuffer: 2 ** 27,
    }),
  );

/** Name, version and licence of each component, by name. */
const licencesIn = (sbom) =>
  sbom.components
    .map(({ name, group, version, licenses = [] }) => ({
      name: group ? `${group}/${name}` : name,
      version,
      licence:
        licenses.map(({ license, expression }) => expression ?? license.id ?? license.name).join(" AND ") ||
        STATED[group ? `${group}/${name}` : name] ||
        "none",
    }))
    .sort((a, b) => a.name.localeCompare(b.name));

/**
 * Those whose licence nobody has accepted. Of "A OR B" one is enough; of "A AND B" both have to be accepted.
 */
const unacceptedIn = (licences) => licences.filter(({ licence }) => !isAccepted(licence));

const isAccepted = (licence) =>
  licence
    .replaceAll(/[()]/g, "")
    .split(" OR ")
    .some((choice) => choice.split(" AND ").every((one) => ACCEPTED.has(one.trim())));

const listOf = (licences) =>
  `# Licences of the dependencies\n\n| Package | Version | Licence |\n|---|---|---|\n${licences
    .map(({ name, version, licence }) => `| ${name} | ${version} | ${licence} |\n`)
    .join("")}`;

module.exports = { licencesIn, listOf, sbomOf, unacceptedIn };
