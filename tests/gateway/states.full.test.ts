import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { bootstrap } from "../../gateway/dist";
import { Serving } from "../../gateway/src/controller/serving";
import { EnvoyAdmin } from "../../gateway/src/sync/envoyAdmin";
import { EnvoyProcess } from "../../gateway/src/sync/envoyProcess";
import { ENVOY } from "../support/envoy";
import { IN_DEFAULT, SshServerAlone } from "./sshServer";

const until = async (is: () => boolean | Promise<boolean>) => {
  while (!(await is())) await sleep(10);
};
const never = () => false;
const always = () => true;

describe("Serving what is declared", () => {
  let serving: Serving;
  beforeEach("nothing was read", () => {
    serving = new Serving();
  });
  const served = (sequence?: number) => {
    serving.begin(sequence);
    serving.succeed();
  };

  it("has nothing to do before anything is read", () => {
    expect([serving.state, serving.isDue(1e9, always), serving.dueIn(0, 1000)]).to.deep.equal([
      "empty",
      false,
      1000,
    ]);
  });

  it("a change waits for its time, and for the earliest of several", () => {
    serving.change(500);
    serving.change(300);
    serving.change(400);
    expect(serving.state).to.equal("waiting");
    expect([serving.isDue(299, always), serving.isDue(300, never)]).to.deep.equal([false, true]);
    expect([serving.dueIn(100, 1000), serving.dueIn(100, 50), serving.dueIn(400, 1000)]).to.deep.equal([
      200, 50, 0,
    ]);
  });

  it("a waiting change is served, and then nothing happens until the environment changes", () => {
    serving.change(0);
    serving.begin(7);
    expect([serving.state, serving.isDue(1e9, always)]).to.deep.equal(["serving", false]);
    serving.succeed();
    expect([serving.state, serving.hasServed, serving.isTaken]).to.deep.equal(["served", true, true]);
    expect([serving.isDue(0, never), serving.isDue(0, always)]).to.deep.equal([false, true]);
  });

  it("objects of an earlier run are served at once, and reported only after the server was read", () => {
    served();
    expect([serving.state, serving.sequence(7)]).to.deep.equal(["served", undefined]);
    served(7);
    expect(serving.sequence(7)).to.equal(7);
  });

  it("a change while others are served waits, and is not reported as served", () => {
    serving.begin(7);
    serving.change(500);
    serving.change(900);
    expect(serving.state).to.equal("serving");
    serving.succeed();
    expect([serving.state, serving.isDue(499, always), serving.isDue(500, never)]).to.deep.equal([
      "waiting",
      false,
      true,
    ]);
    expect(serving.sequence(9)).to.equal(7);
  });

  it("a change that waits leaves the last served event as it was", () => {
    served(7);
    expect(serving.sequence(8), "an event that changes nothing here").to.equal(8);
    serving.change(0);
    expect([serving.state, serving.sequence(9)]).to.deep.equal(["waiting", 8]);
  });

  it("a failure is tried again at its time, also where a change waits for an earlier one", () => {
    serving.begin(7);
    serving.change(100);
    serving.fail(5000, false);
    expect([serving.state, serving.isDue(4999, always), serving.isDue(5000, never)]).to.deep.equal([
      "waiting",
      false,
      true,
    ]);
    expect([serving.hasServed, serving.isTaken, serving.sequence(9)]).to.deep.equal([false, false, 7]);
  });

  it("a configuration that Envoy refuses counts, and one with edges still searched for does not", () => {
    served(1);
    serving.begin(2);
    serving.fail(0, true);
    expect([serving.hasServed, serving.isTaken]).to.deep.equal([true, true]);
    serving.begin(3);
    serving.fail(0, false);
    expect([serving.hasServed, serving.isTaken]).to.deep.equal([true, false]);
    served(4);
    expect([serving.hasServed, serving.isTaken]).to.deep.equal([true, true]);
  });

  it("nothing ends that has not begun", () => {
    expect(() => serving.succeed()).to.throw("Nothing is being served: empty");
  });
});

describe("The process of Envoy", function () {
  this.timeout(60_000);
  let folder: string;
  const started: EnvoyProcess[] = [];
  const log: string[] = [];
  before("skip without Envoy", function () {
    if (ENVOY) return;
    console.log("    Skipped: Envoy could not be installed, because Python 3 with venv is missing");
    this.skip();
  });
  beforeEach("a folder with a bootstrap", () => {
    folder = mkdtempSync(join(tmpdir(), "tpe-"));
    mkdirSync(join(folder, "secrets"));
    writeFileSync(
      join(folder, "bootstrap.json"),
      JSON.stringify(bootstrap({ folder, admin: admin().socket })),
    );
  });
  afterEach("stop what was started", async () => {
    for (const process of started.splice(0).reverse()) await process.stop();
    rmSync(folder, { recursive: true });
    log.length = 0;
  });
  const admin = () => new EnvoyAdmin(join(folder, "admin.sock"));
  const make = (program = ENVOY as string): EnvoyProcess => {
    const process = new EnvoyProcess({
      program,
      bootstrap: join(folder, "bootstrap.json"),
      admin: admin(),
      prepare: () => {
        for (const name of ["cds", "lds"])
          writeFileSync(join(folder, `${name}.json`), '{"version_info":"0","resources":[]}');
      },
      onEnd: () => log.push("ended"),
      warn: (message) => log.push(message),
    });
    started.push(process);
    return process;
  };
  const quit = () => admin().ask("/quitquitquit", "POST");

  it("starts, is started again when it ends, and stops", async () => {
    const process = make();
    expect(process.state).to.equal("new");
    await process.start();
    expect([process.state, await admin().isReady()]).to.deep.equal(["running", true]);
    await quit();
    await until(() => process.state === "ended");
    expect(log).to.deep.equal(["ended", "Envoy ended (0); it is started again in a second"]);
    await until(() => process.state === "running" && admin().isReady());
    await process.stop();
    expect([process.state, await admin().isReady()]).to.deep.equal(["stopping", false]);
  });

  it("is not started again when it is stopped meanwhile", async () => {
    const process = make();
    await process.start();
    await quit();
    await until(() => process.state === "ended");
    await process.stop();
    await sleep(1200);
    expect([process.state, await admin().isReady()]).to.deep.equal(["stopping", false]);
  });

  it("is adopted where one answers, and started when that one is silent", async () => {
    await make().start();
    const next = make();
    await next.start();
    expect(next.state).to.equal("adopted");
    const [first] = started.splice(0, 1);
    await first?.stop();
    await until(() => next.state === "running" && admin().isReady());
    expect(log).to.deep.equal([
      "Envoy, which an earlier gateway had started, does not answer; another one is started",
    ]);
  });

  it("stops one that it adopted", async () => {
    await make().start();
    const next = make();
    await next.start();
    await next.stop();
    expect([next.state, await admin().isReady()]).to.deep.equal(["stopping", false]);
  });
});

describe("The session of an agent", () => {
  let one: SshServerAlone;
  let isAllowed: boolean;
  /** Resolves when the authority may answer who logs in. */
  let mayLogIn: Promise<unknown>;
  beforeEach("start an SSH server", async () => {
    [isAllowed, mayLogIn] = [true, Promise.resolve()];
    one = await SshServerAlone.start({
      async ask(_proof, bind) {
        if (bind.length === 0) await mayLogIn;
        const allowed = bind.length === 0 || isAllowed;
        return { allowed, credential: "sshcr_1", projects: IN_DEFAULT, reason: "it may not" };
      },
    });
  });
  afterEach(() => one.stop());
  const become = (...states: string[]) => until(() => String(one.ssh.states) === String(states));

  it("is connected, and idle once the agent has logged in; either ends with the connection", async () => {
    let answer: (nothing?: unknown) => void = () => undefined;
    mayLogIn = new Promise((resolve) => {
      answer = resolve;
    });
    const [first, second] = [one.agent([]), one.agent([])];
    for (const { stderr } of [first, second]) stderr?.resume();
    await become("connected", "connected");
    first.kill("SIGKILL");
    await become("connected");
    answer();
    await become("idle");
    second.kill("SIGKILL");
    await become();
  });

  it("is idle again when the last bind is cancelled", async () => {
    const control = join(one.folder, "key-control");
    const options = ["ControlMaster=yes", `ControlPath=${control}`];
    one.agent(["service=web:443", "service=web,n=1:443"], options).stderr?.resume();
    await until(() => one.ssh.agents[0]?.bind.length === 3);
    const cancel = async (bind: string) => {
      const child = one.control(control, "cancel", bind);
      await once(child, "exit");
    };
    await cancel("service=web:443");
    await until(() => one.ssh.agents[0]?.bind.length === 2);
    expect(one.ssh.states).to.deep.equal(["serving"]);
    await cancel("service=web,n=1:443");
    await become("idle");
    expect(one.open(), "no socket is left").to.deep.equal([]);
  });

  it("ends where nothing is bound after a refusal", async () => {
    isAllowed = false;
    const child = one.agent(["service=web:443"]);
    let said = "";
    child.stderr?.on("data", (chunk) => {
      said += chunk;
    });
    await once(child, "close");
    expect(said).to.contain("it may not");
    await become();
  });

  it("ends when its credential no longer allows what it has bound", async () => {
    one.agent(["service=web:443"]).stderr?.resume();
    await become("serving");
    isAllowed = false;
    await one.ssh.review("all");
    expect(one.ssh.states.filter((state) => state !== "ended")).to.deep.equal([]);
  });
});
