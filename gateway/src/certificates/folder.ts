import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, parse } from "node:path";
import { messageOf } from "@tunnelplane/sdk/contract";
import type { ServerCertificate } from "../envoy/model";
import { certificateWithWarning } from "./pair";

/** With more files than this, it is probably the wrong folder. */
const MAX_FILES = 50_000;

/** The largest share of time that is spent on looking for changed files, however large the folder is. */
const LOOKING_SHARE = 1 / 20;

interface ReadFile {
  /** Of the certificate and its key: changes when one of them does. */
  readonly stamp: string;
  /** A text if something is wrong with them. */
  readonly found: Found | string;
}

/** The certificates of a folder: NAME.pem or NAME.crt beside NAME.key. Reads only files that changed. */
export class CertificateFolder {
  #read = new Map<string, ReadFile>();
  /** The files as they were read, and as they were at the last look. */
  #stamps: Stamps = new Map();
  #looked: Stamps = new Map();
  /** When to look again. */
  #lookAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly folder: string,
    private readonly warn: (message: string) => void,
  ) {}

  /** Whether a file came, went or changed since they were read. */
  isChanged(): boolean {
    return !isSame(this.#newest(), this.#stamps);
  }

  /** Reads the certificates of the folder; warns of those that Envoy cannot use. */
  read(): ServerCertificate[] {
    const stamps = this.#newest();
    if (typeof stamps === "string") {
      this.#stamps = stamps;
      this.warn(stamps);
      return [];
    }
    if (!isSame(stamps, this.#stamps)) this.#readChanged(stamps);
    const found: Found[] = [];
    for (const file of this.#read.values()) {
      if (typeof file.found === "string") this.warn(file.found);
      else found.push(file.found);
    }
    for (const { fault, warning } of found) if (fault ?? warning) this.warn(fault ?? warning ?? "");
    const served = found.filter(({ fault }) => fault === undefined);
    warnOfEnded(served, this.warn);
    warnOfRivals(served, this.warn);
    return found;
  }

  #readChanged(stamps: ReadonlyMap<string, string>): void {
    const read = new Map<string, ReadFile>();
    for (const [name, stamp] of stamps) {
      if (!/\.(pem|crt)$/.test(name)) continue;
      const key = `${parse(name).name}.key`;
      const keyStamp = stamps.get(key);
      const both = `${stamp} ${keyStamp}`;
      const known = this.#read.get(name);
      read.set(
        name,
        known?.stamp === both
          ? known
          : { stamp: both, found: readPair(this.folder, name, key, keyStamp !== undefined) },
      );
    }
    this.#stamps = stamps;
    this.#read = read;
  }

  #newest(): Stamps {
    const started = performance.now();
    if (started < this.#lookAt) return this.#looked;
    const looked = this.#look();
    // The same as long as nothing changed, so that it is not compared file by file again.
    if (!isSame(this.#looked, looked)) this.#looked = looked;
    const ended = performance.now();
    this.#lookAt = ended + (ended - started) / LOOKING_SHARE;
    return this.#looked;
  }

  /** The stamp of each file, by its name; it changes with the file. A text: why the folder cannot be read. */
  #look(): Stamps {
    let names: string[];
    try {
      names = readdirSync(this.folder).sort();
    } catch (error) {
      return `the certificates' folder ${this.folder} cannot be read (${messageOf(error)}): create it, or name another with --certs`;
    }
    if (names.length > MAX_FILES)
      return `the certificates' folder ${this.folder} holds more than ${MAX_FILES} files: keep nothing else in it`;
    return new Map(
      names.map((name) => {
        const { mtimeMs, size, ino } = statSync(join(this.folder, name), { throwIfNoEntry: false }) ?? {};
        return [name, `${ino} ${mtimeMs} ${size}`];
      }),
    );
  }
}

type Stamps = ReadonlyMap<string, string> | string;

const isSame = (before: Stamps, now: Stamps): boolean =>
  before === now ||
  (typeof before !== "string" &&
    typeof now !== "string" &&
    now.size === before.size &&
    [...before].every(([name, stamp]) => now.get(name) === stamp));

type Found = ServerCertificate & { readonly file: string };

function warnOfEnded(certificates: readonly Found[], warn: (message: string) => void): void {
  for (const { file, notAfter } of certificates)
    if (notAfter <= Date.now())
      warn(`${file} ended at ${new Date(notAfter).toISOString()}: put a new one in its place`);
}

/** Warns of two certificates for one name, which is usual only while one is renewed. */
function warnOfRivals(certificates: readonly Found[], warn: (message: string) => void): void {
  const best = new Map<string, Found>();
  for (const one of certificates.filter(({ notAfter }) => notAfter > Date.now())) {
    for (const name of one.names) {
      const other = best.get(name);
      const [served, left] = other && other.notAfter >= one.notAfter ? [other, one] : [one, other];
      best.set(name, served);
      if (left)
        warn(
          `${served.file} and ${left.file} are both for ${name}: the first, which ends last, is served; remove the other`,
        );
    }
  }
}

function readPair(folder: string, name: string, keyName: string, hasKey: boolean): Found | string {
  // Reports name no folders of this machine.
  const file = `${name} in the certificates' folder`;
  const path = join(folder, name);
  try {
    const key = hasKey ? readFileSync(join(folder, keyName), "utf8") : "";
    const found = { file: path, ...certificateWithWarning(readFileSync(path, "utf8"), key, file) };
    const fault = `${file} has no key beside it: put it into ${keyName}`;
    return hasKey ? found : { ...found, fault };
  } catch (error) {
    return messageOf(error);
  }
}
