import { needsRsaPss } from "@tunnelplane/sdk/contract";
import { DevelopmentAuthority } from "../certificates/developmentAuthority";
import type { Objects, ServerCertificate } from "../envoy/model";

type Authority = Objects["certificate_authority"][number];

/** Authorities of clients that stand in for the declared ones, whose keys nobody here has. */
export class Authorities {
  readonly #byCertificate = new Map<string, Promise<DevelopmentAuthority>>();
  /** The certificates of the authorities that the world declares, by the texts that refer to them. */
  #declared = new Map<string, string>();

  /**
   * The same objects with the certificates of stand-ins. Two with the same certificate share a stand-in.
   * @param ids by the texts that refer to them
   */
  async inPlaceOf(declared: readonly Authority[], ids: ReadonlyMap<string, string>): Promise<Authority[]> {
    const texts = new Map(declared.map((one) => [one.id, textOf(one)]));
    this.#declared = new Map(
      [...ids].flatMap(([reference, id]) => {
        const text = texts.get(id);
        return text === undefined ? [] : [[reference, text] as const];
      }),
    );
    return Promise.all(
      declared.map(async (one) =>
        // One that no gateway can use is not stood in for.
        typeof one.ca_pem === "string" && needsRsaPss(one.ca_pem)
          ? one
          : { ...one, ca_pem: (await this.#of(textOf(one))).pem },
      ),
    );
  }

  /**
   * A certificate that the stand-in of an authority signed; for an authority that is not declared, a stranger
   * signs it.
   */
  async certificateOf(authority: string): Promise<ServerCertificate | undefined> {
    const signing = await this.#of(this.#declared.get(authority) ?? "of nobody");
    return (await signing.certificates(["client.invalid"]))[0];
  }

  #of(certificate: string): Promise<DevelopmentAuthority> {
    const known =
      this.#byCertificate.get(certificate) ??
      DevelopmentAuthority.make(`tunnelplane trial ${this.#byCertificate.size + 1}`);
    this.#byCertificate.set(certificate, known);
    return known;
  }
}

/** Equal if decisions take two authorities for the same: a preview may not know the certificate. */
const textOf = ({ id, ca_pem }: Authority): string =>
  typeof ca_pem === "string" && ca_pem.includes("-----BEGIN") ? ca_pem.replace(/\s+/g, "") : id;
