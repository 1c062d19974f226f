// Programs that test for minutes or hours are interrupted, too. Node.js ends at a signal at once, without `await using`, so a cluster that
// a program has created would stay, with its processes, until somebody looks.
import { faultFrom } from '@nodewright/fault';

export interface OpenedProgram<T extends AsyncDisposable> {
  /** Opens what the program tests. An interrupt waits for it. */
  readonly open: () => Promise<T>;
  /** Whether the test has passed. An interrupt does not wait for it. */
  readonly run: (subject: T) => Promise<boolean>;
}

/**
 * Opens the subject, runs the test, closes the subject and ends the process: with 0 when the test has passed. A first SIGINT or SIGTERM
 * ends the test and closes the subject; a second one ends the process at once.
 */
export async function runOpened<T extends AsyncDisposable>({ open, run }: OpenedProgram<T>): Promise<never> {
  const interrupted = new AbortController();
  const onSignal = (name: NodeJS.Signals) => {
    for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, onSignal);
    interrupted.abort(new Error(`ended by ${name}`));
  };
  for (const name of ['SIGINT', 'SIGTERM']) process.on(name, onSignal);
  const { signal } = interrupted;
  let hasPassed = false;
  try {
    await using subject = await open();
    signal.throwIfAborted();
    hasPassed = await orAbort(run(subject), signal);
  } catch (error) {
    process.stdout.write(`failed: ${signal.aborted ? signal.reason.message : faultFrom(error).message}\n`);
  }
  // What the test still does after an interrupt has no subject any more.
  process.exit(hasPassed ? 0 : 1);
}

async function orAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
