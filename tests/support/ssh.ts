import { type Json, serverOfThisFile } from "./api/expect";
import { type SshKey, sshKey } from "./api/fixtures";
import { ServerProcess } from "./server";
import { SSHD, Sshd, type SshdOptions } from "./sshd";

const HOUR = 3_600_000;
/** The time so many hours from now. */
export const hours = (count: number): string => new Date(Date.now() + count * HOUR).toISOString();
export type Authority = { readonly id: string; readonly public_key: string };

/** A server and any number of sshds for a test file. Without sshd, it skips the file, and says so. */
export function sshWorld() {
  const server = serverOfThisFile((options) => ServerProcess.start(options));
  before("look for sshd", function () {
    if (SSHD) return;
    console.log(
      "    Skipped: this machine has no sshd, so nobody can log in for real; install openssh-server",
    );
    this.skip();
  });

  return {
    server,
    authority: (body: Json = {}): Promise<Authority> => server.created("/ssh_certificate_authorities", body),
    sshd: (options: SshdOptions): Promise<Sshd> => Sshd.start(options),
    /** A key and its certificate, in files as `ssh` expects them. */
    async identity(authority: Authority, body: Json, key: SshKey = sshKey()) {
      const sent = { ssh_certificate_authority_id: authority.id, public_key: key.openssh, ...body };
      const { certificate } = await server.created("/ssh_user_certificates", sent);
      return { privateKey: key.privateKey, certificate: certificate as string };
    },
  };
}
