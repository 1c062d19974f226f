import { Fault } from '@nodewright/fault';

export interface MemberWork {
  /** Whether this member is the leader. Rejects when the member is not well. */
  readonly isLeader: () => Promise<boolean>;
  /** Resolves when the work is done and the member is well again. */
  readonly work: () => Promise<void>;
}

interface Turn {
  readonly name: string;
  readonly done: PromiseWithResolvers<void>;
  isLeader: boolean | undefined;
}

/**
 * Lets members of etcd work one after the other, the leader last, so that another one becomes the leader once at most.
 * Nothing begins before all of them are well, and nothing more begins after one has failed: each member that works
 * answers no requests, and etcd needs a majority of the others.
 */
export class MemberTurns {
  readonly #turns: readonly Turn[];
  readonly #start = Promise.withResolvers<void>();

  /**
   * @param names of all members, each of which must call `run()`
   * @throws Fault `invalid-argument` for a name that is there twice
   */
  constructor(names: readonly string[]) {
    const twice = names.find((name, at) => names.indexOf(name) !== at);
    if (twice !== undefined) throw new Fault('invalid-argument', `node "${twice}" is named twice`);
    this.#turns = names.map((name) => ({ name, done: Promise.withResolvers<void>(), isLeader: undefined }));
    // A failure is thrown by the run of each member, also when there is no member left to wait for this.
    for (const { promise } of [this.#start, ...this.#turns.map(({ done }) => done)]) promise.catch(() => {});
  }

  /** @throws what a call throws, or Fault `aborted` when another member has failed */
  async run(name: string, { isLeader, work }: MemberWork): Promise<void> {
    const own = this.#turns.find((turn) => turn.name === name);
    if (own === undefined) throw new Fault('internal', `"${name}" has no turn`);
    try {
      await this.#check(own, isLeader);
      await this.#start.promise;
      await this.#before(own);
      await work();
      own.done.resolve();
    } catch (error) {
      own.done.reject(error);
      throw error;
    }
  }

  async #check(own: Turn, isLeader: () => Promise<boolean>): Promise<void> {
    try {
      own.isLeader = await isLeader();
    } catch (error) {
      this.#start.reject(
        new Fault('aborted', `nothing was done, because the member of ${own.name} is not well`),
      );
      throw error;
    }
    if (this.#turns.every((turn) => turn.isLeader !== undefined)) this.#start.resolve();
  }

  /** Waits for the member before this one. */
  async #before(own: Turn): Promise<void> {
    const order = [
      ...this.#turns.filter((turn) => turn.isLeader === false),
      ...this.#turns.filter((turn) => turn.isLeader === true),
    ];
    const before = order[order.indexOf(own) - 1];
    try {
      await before?.done.promise;
    } catch {
      throw new Fault(
        'aborted',
        `nothing was done, because the member of ${before?.name} before it has failed`,
      );
    }
  }
}
