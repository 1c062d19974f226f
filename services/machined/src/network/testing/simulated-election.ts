// For tests: etcd, the kernels and the networks of several nodes, on one clock that the test advances. Only the code of
// VirtualAddress is real.
import type { Timers } from '@nodewright/async';
import { FakeTimers } from '@nodewright/controllers/testing';
import { Fault } from '@nodewright/fault';
import { noTelemetry } from '@nodewright/telemetry';
import { electionTtlSeconds } from '../domain/virtual-address.ts';
import { type BorrowedAddress, type Campaign, VirtualAddress } from '../host/virtual-address.ts';

const ttlMs = electionTtlSeconds * 1000;
/** How late the kernel may remove an address, and how late etcd may end a lease. */
const maxLateMs = 1250;
const requestTimeoutMs = 5000;

/** A key in etcd with its lease. */
interface Candidate {
  endsMs: number;
  onTurn: (() => void) | undefined;
}

/** What happens outside of the nodes. `random()` gives 0 to 1. */
export class SimulatedElection {
  readonly timers = new FakeTimers(0);
  readonly nodes: readonly SimulatedNode[];
  readonly random: () => number;
  /** While it is false, no request is answered, but leases end. */
  isEtcdUp = true;
  #row: Candidate[] = [];

  constructor(nodes: number, random: () => number) {
    this.random = random;
    this.nodes = Array.from({ length: nodes }, (_, index) => new SimulatedNode(this, `node${index}`));
  }

  /** Advances the clock; calls `onStep` after everything that happens. */
  async advance(ms: number, onStep: () => void): Promise<void> {
    const untilMs = this.timers.now() + ms;
    do {
      // Everything that waits for promises goes on until it waits for a timer.
      await new Promise(setImmediate);
      onStep();
    } while (this.timers.step(untilMs));
  }

  enter(onTurn: () => void): Candidate {
    const candidate = { endsMs: this.timers.now() + ttlMs, onTurn };
    this.#row.push(candidate);
    this.#watchEnd(candidate);
    this.#serve();
    return candidate;
  }

  isThere(candidate: Candidate): boolean {
    return this.#row.includes(candidate);
  }

  renew(candidate: Candidate): boolean {
    if (!this.isThere(candidate)) return false;
    candidate.endsMs = this.timers.now() + ttlMs;
    return true;
  }

  leave(candidate: Candidate): void {
    this.#row = this.#row.filter((each) => each !== candidate);
    this.#serve();
  }

  /** Etcd ends a lease at its end or a little later. */
  #watchEnd(candidate: Candidate): void {
    const lateMs = this.random() * maxLateMs;
    this.timers.after(candidate.endsMs + lateMs - this.timers.now(), () => {
      if (candidate.endsMs <= this.timers.now()) this.leave(candidate);
      else this.#watchEnd(candidate);
    });
  }

  #serve(): void {
    const [first] = this.#row;
    const onTurn = first?.onTurn;
    if (first === undefined || onTurn === undefined) return;
    first.onTurn = undefined;
    onTurn();
  }
}

/** A node: its kernel, its connection to etcd, and machined, which may stand still or die. */
export class SimulatedNode {
  readonly name: string;
  readonly #world: SimulatedElection;
  #process: SimulatedProcess | undefined;
  /** Number of the last change of the address in the kernel. */
  #loan = 0;
  #hasAddress = false;
  isConnected = true;
  /** The kernel refuses to remove addresses. */
  isStubborn = false;

  constructor(world: SimulatedElection, name: string) {
    this.#world = world;
    this.name = name;
  }

  get hasAddress(): boolean {
    return this.#hasAddress;
  }

  get isRunning(): boolean {
    return this.#process !== undefined;
  }

  get isFrozen(): boolean {
    return this.#process?.isFrozen ?? false;
  }

  start(): void {
    this.#process ??= new SimulatedProcess(this.#world, this);
  }

  /** As SIGKILL does. */
  kill(): void {
    this.#process?.kill();
    this.#process = undefined;
  }

  freeze(): void {
    if (this.#process !== undefined) this.#process.isFrozen = true;
  }

  thaw(): void {
    this.#process?.thaw();
  }

  /** As when the node shuts down: without waiting for its end. */
  resign(): void {
    this.#process?.stop();
    this.#process = undefined;
  }

  readonly address: BorrowedAddress = {
    lend: (lifetimeSeconds) => {
      this.#loan += 1;
      const loan = this.#loan;
      this.#hasAddress = true;
      const endMs = lifetimeSeconds * 1000 + this.#world.random() * maxLateMs;
      this.#world.timers.after(endMs, () => {
        if (this.#loan === loan) this.#hasAddress = false;
      });
    },
    remove: () => {
      if (this.isStubborn) throw new Fault('unavailable', 'the kernel refuses');
      this.#loan += 1;
      this.#hasAddress = false;
    },
    announce: () => {},
  };
}

class SimulatedProcess {
  readonly #world: SimulatedElection;
  readonly #node: SimulatedNode;
  readonly #candidate: VirtualAddress;
  #postponed: (() => void)[] = [];
  #isDead = false;
  isFrozen = false;

  constructor(world: SimulatedElection, node: SimulatedNode) {
    this.#world = world;
    this.#node = node;
    const quiet = () => {};
    const init = {
      ...{ ip: '10.0.0.99', linkName: 'eth0', campaign: this.#campaign, onChange: quiet },
      openAddress: async () => node.address,
      yieldLeadership: async () => undefined,
      timers: this.#timers,
      monotonicMs: () => world.timers.now(),
      log: { info: quiet, warn: quiet, error: quiet, debug: quiet } as never,
      telemetry: noTelemetry,
    };
    this.#candidate = new VirtualAddress(init);
  }

  kill(): void {
    this.#isDead = true;
  }

  thaw(): void {
    this.isFrozen = false;
    const due = this.#postponed;
    this.#postponed = [];
    for (const action of due) this.#do(action);
  }

  stop(): void {
    this.#do(() => void this.#candidate.stop('a test'));
  }

  /** What this process does: later while it stands still, and never once it is dead. */
  #do(action: () => void): void {
    if (this.#isDead) return;
    if (this.isFrozen) this.#postponed.push(action);
    else action();
  }

  readonly #timers: Timers = {
    now: () => this.#world.timers.now(),
    monotonicMs: () => this.#world.timers.monotonicMs(),
    after: (delayMs, action) => this.#world.timers.after(delayMs, () => this.#do(action)),
  };

  /** A request and its answer travel for some time; without a connection there is no answer. */
  #request<T>(work: () => T): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const travel = (action: () => void) => {
      if (!this.#node.isConnected) return;
      this.#world.timers.after(this.#world.random() * 400, action);
    };
    travel(() => {
      if (!this.#world.isEtcdUp || !this.#node.isConnected) return;
      const answer = work();
      travel(() => this.#do(() => resolve(answer)));
    });
    this.#timers.after(requestTimeoutMs, () => reject(new Fault('unavailable', 'etcd does not answer')));
    return promise;
  }

  readonly #campaign: Campaign = async (_ip, signal) => {
    const world = this.#world;
    let begunMs = world.timers.now();
    const turn = Promise.withResolvers<void>();
    const over = new AbortController();
    const lost = (reason: string) => over.abort(new Fault('unavailable', reason));
    const candidate = await this.#request(() => world.enter(() => this.#do(turn.resolve)));
    const renewLater = () => {
      this.#timers.after(ttlMs / 3, async () => {
        if (over.signal.aborted) return;
        const askedMs = world.timers.now();
        const isRenewed = await this.#request(() => world.renew(candidate)).catch(() => undefined);
        if (isRenewed === false) return lost('the lease ran out');
        if (isRenewed) begunMs = askedMs;
        if (begunMs + ttlMs <= world.timers.now()) return lost('nobody answers');
        renewLater();
      });
    };
    renewLater();
    const leave = () => this.#request(() => world.leave(candidate)).catch(() => {});
    const stopped = Promise.withResolvers<void>();
    for (const each of [signal, over.signal]) each.addEventListener('abort', () => stopped.resolve());
    if (signal.aborted) stopped.resolve();
    await Promise.race([turn.promise, stopped.promise]);
    if (signal.aborted || over.signal.aborted) {
      over.abort();
      await leave();
      throw new Fault('cancelled', 'the campaign was stopped');
    }
    return {
      signal: over.signal,
      leftMs: () => (over.signal.aborted ? 0 : begunMs + ttlMs - world.timers.now()),
      async resign() {
        over.abort();
        await leave();
      },
      async abandon() {
        over.abort();
      },
    };
  };
}
