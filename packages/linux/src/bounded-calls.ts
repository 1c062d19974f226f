import { systemTimers, type Timers } from '@nodewright/async';
import { Fault } from '@nodewright/fault';

/** The threads of Node.js for calls of the file system and for looking up names; by default it has 4. */
export const threadPoolSize = 16;
/** How many of them calls that may hang can occupy, for each of the two kinds: remote file systems, and disks. */
export const boundedCallLimit = 6;
/** How many calls to one place run at the same time: one file that hangs does not make the others unreachable. */
const callsPerPlace = 2;
/** How many calls wait for a thread. A node of Kubernetes has some thousands of mounts. */
const maxWaiting = 10_000;
const defaultTimeoutMs = 10_000;

/**
 * Makes Node.js start its pool with `threadPoolSize` threads, in this process and its children. It must be called before the
 * first use of the pool, so as the first thing of a program.
 */
export function setThreadPoolSize(environment: NodeJS.ProcessEnv = process.env): void {
  environment.UV_THREADPOOL_SIZE = String(threadPoolSize);
}

export interface BoundedCallOptions<T> {
  /** How long the caller waits, with the time until a thread is free, in ms; default that of `createBoundedCalls`. */
  readonly timeoutMs?: number;
  /** Releases what the call returned after the caller had given up, such as a descriptor. */
  readonly release?: (late: T) => void;
}

/**
 * Calls of the thread pool that may never return, such as those to a server of files that is away. They occupy a limited number
 * of threads, so that all other work goes on.
 */
export interface BoundedCalls {
  /**
   * @param place what may hang, as the subject of a sentence: `the file system at "/mnt"`
   * @param call occupies one thread at a time
   * @throws Fault `deadline-exceeded` when the place does not answer in time, or at once when earlier calls to it, or in all
   * threads, are over their time; `resource-exhausted` when too many calls wait; the errors of the call
   */
  run<T>(place: string, call: () => Promise<T>, options?: BoundedCallOptions<T>): Promise<T>;
  /** Runs a call as soon as a thread is free, however long that takes, and ignores its result: for closing a descriptor. */
  finish(place: string, call: () => Promise<unknown>): void;
  /** Whether calls have not returned in time, and occupy threads still. Such a process cannot end by itself. */
  readonly isStuck: boolean;
}

export interface BoundedCallsInit {
  /** How many calls run at the same time. */
  readonly limit?: number;
  /** How long a caller waits, in ms. */
  readonly timeoutMs?: number;
  /** Called for each call that has not returned in time. */
  readonly onOverdue?: (place: string) => void;
  readonly timers?: Timers;
}

interface Place {
  readonly name: string;
  running: number;
  /** Of these, how many are over their time. */
  overdue: number;
  waiting: number;
}

interface Work {
  readonly place: Place;
  readonly start: () => void;
}

export function createBoundedCalls({
  limit = boundedCallLimit,
  timeoutMs: usualTimeoutMs = defaultTimeoutMs,
  onOverdue = () => {},
  timers = systemTimers,
}: BoundedCallsInit = {}): BoundedCalls {
  const places = new Map<string, Place>();
  const waiting = new Set<Work>();
  let running = 0;
  let overdue = 0;

  const placeOf = (name: string): Place => {
    const place = places.get(name) ?? { name, running: 0, overdue: 0, waiting: 0 };
    places.set(name, place);
    return place;
  };
  const forgetIdle = (place: Place) => {
    if (place.running === 0 && place.waiting === 0) places.delete(place.name);
  };
  const hasRoom = (place: Place) => running < limit && place.running < callsPerPlace;
  const startNext = () => {
    for (const work of waiting) {
      if (running >= limit) return;
      if (!hasRoom(work.place)) continue;
      waiting.delete(work);
      work.place.waiting -= 1;
      work.start();
    }
  };
  const leaveQueue = (work: Work) => {
    if (waiting.delete(work)) work.place.waiting -= 1;
    forgetIdle(work.place);
  };

  /** Runs the call and counts it until it returns. The result counts it as overdue. */
  function begin<T>(place: Place, call: () => Promise<T>) {
    running += 1;
    place.running += 1;
    let isOverdue = false;
    const outcome = Promise.try(call).finally(() => {
      running -= 1;
      place.running -= 1;
      if (isOverdue) overdue -= 1;
      if (isOverdue) place.overdue -= 1;
      forgetIdle(place);
      startNext();
    });
    const markOverdue = () => {
      isOverdue = true;
      overdue += 1;
      place.overdue += 1;
      onOverdue(place.name);
    };
    return { outcome, markOverdue };
  }

  const namesOfOverdue = () =>
    [...places.values()].flatMap((place) => (place.overdue > 0 ? [place.name] : [])).join(', ');
  const startOrWait = (work: Work) => {
    if (hasRoom(work.place)) return work.start();
    waiting.add(work);
    work.place.waiting += 1;
  };
  /** Why a call is not even tried. */
  const refusalOf = ({ name, overdue: ofPlace }: Place): Fault | undefined => {
    if (ofPlace >= callsPerPlace)
      return new Fault('deadline-exceeded', `${name} does not answer: earlier calls to it still wait`);
    if (overdue >= limit)
      return new Fault('deadline-exceeded', `${name} cannot be asked: no answer from ${namesOfOverdue()}`);
    if (waiting.size >= maxWaiting)
      return new Fault(
        'resource-exhausted',
        `${maxWaiting} calls wait for a thread, such as those to ${name}`,
      );
    return undefined;
  };

  return {
    get isStuck() {
      return overdue > 0;
    },
    async run<T>(
      name: string,
      call: () => Promise<T>,
      { timeoutMs = usualTimeoutMs, release }: BoundedCallOptions<T> = {},
    ): Promise<T> {
      const place = placeOf(name);
      const refusal = refusalOf(place);
      if (refusal !== undefined) {
        forgetIdle(place);
        throw refusal;
      }
      const { promise, resolve, reject } = Promise.withResolvers<T>();
      let started: ReturnType<typeof begin<T>> | undefined;
      let isLate = false;
      const work: Work = {
        place,
        start() {
          started = begin(place, call);
          started.outcome.then((result) => (isLate ? release?.(result) : resolve(result)), reject);
        },
      };
      using _timer = timers.after(timeoutMs, () => {
        isLate = true;
        leaveQueue(work);
        started?.markOverdue();
        reject(new Fault('deadline-exceeded', `${name} did not answer within ${timeoutMs} ms`));
      });
      startOrWait(work);
      return await promise;
    },
    finish(name, call) {
      const place = placeOf(name);
      startOrWait({
        place,
        start() {
          const { outcome, markOverdue } = begin(place, call);
          const timer = timers.after(usualTimeoutMs, markOverdue);
          const settle = () => timer[Symbol.dispose]();
          outcome.then(settle, settle);
        },
      });
    },
  };
}
