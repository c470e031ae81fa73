import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { IN_DEFAULT, SshServerAlone } from "./sshServer";

describe("Limits of agents", () => {
  let one: SshServerAlone;
  /** Resolves when the authority may answer. */
  let answered: Promise<unknown>;
  let asked: number;
  beforeEach("start an SSH server whose authority allows everything", async () => {
    answered = Promise.resolve();
    asked = 0;
    one = await SshServerAlone.start({
      async ask(_proof, bind) {
        asked += bind.length;
        if (bind.length > 0) await answered;
        return { allowed: true, credential: "sshcr_1", projects: IN_DEFAULT, reason: "" };
      },
    });
  });
  afterEach(() => one.stop());

  function agent(...binds: string[]): ChildProcess {
    const child = one.agent(binds);
    child.stderr?.resume();
    return child;
  }

  const until = async (is: () => boolean) => {
    while (!is()) await sleep(10);
  };

  it("one connection binds a hundred things, however fast it asks", async () => {
    let answer: (nothing?: unknown) => void = () => undefined;
    answered = new Promise((resolve) => {
      answer = resolve;
    });
    agent(...Array.from({ length: 101 }, (_, index) => `service=web,n=${index}:443`));
    await until(() => one.log.length > 0);
    expect(one.log).to.deep.equal(["agent refused a connection may bind 100 things"]);
    expect(asked, "two labels each").to.equal(200);
    answer();
    await until(() => one.ssh.agents[0]?.bind.length === 200);
  });

  it("an agent that no longer answers is hung up on, and its socket goes", async () => {
    const child = agent("service=web:443");
    await until(() => one.open().length === 1);
    child.kill("SIGSTOP");
    await until(() => one.ssh.agents.length === 0);
    expect(one.open()).to.deep.equal([]);
  });

  it("an agent whose last bind is cancelled stays, and leaves no socket", async () => {
    const control = join(one.folder, "key-control");
    const options = ["ControlMaster=yes", `ControlPath=${control}`];
    one.agent(["service=web:443", "service=web,n=1:443"], options).stderr?.resume();
    await until(() => one.ssh.agents[0]?.bind.length === 3);
    for (const [bind, left] of Object.entries({
      "service=web:443": "serving",
      "service=web,n=1:443": "idle",
    })) {
      await once(one.control(control, "cancel", bind), "exit");
      await until(() => one.ssh.states.join() === left);
    }
    expect(one.open()).to.deep.equal([]);
  });
});
