// Preloaded (`--require`) into a daemon that shares the network namespace of its node's machined. When
// machined's container ends, the engine removes that network and gives machined a new one at its next start.
// The other daemons stay in the old one, without an address. So a daemon that has lost every address exits as
// soon as machined has renewed the file of its start, and the engine restarts it in the new network. It must
// not exit earlier: an engine does not retry a container whose network is missing.
import { statSync } from 'node:fs';
import { networkInterfaces } from 'node:os';

const pollMs = 500;
/**
 * When a container runs for less than this, the engine doubles its delay before the next restart, up to a
 * minute. So a younger daemon waits until it reaches this age; otherwise a node that reboots often would be
 * away for a minute.
 */
const engineTakesForWorkingSeconds = 10;
/** Timers may fire up to a millisecond early, and the engine has a clock of its own. */
const marginSeconds = 0.1;
/** The exit code of a process that SIGTERM ended. */
const exitCode = 143;
/** `nodePaths.startedFile`, which machined writes at each start; another one in tests. */
const startedFile = process.env.NODE_STARTED_FILE ?? '/system/run/node/started';

/** When machined wrote it, as last seen while there was a network. */
let madeMs: number | undefined;
let hadAddress = false;
let isEnding = false;

setInterval(() => {
  const now = statSync(startedFile, { throwIfNoEntry: false })?.mtimeMs;
  if (hasAddress()) {
    hadAddress = true;
    madeMs = now;
  } else if (hadAddress && now !== undefined && now !== madeMs && !isEnding) {
    isEnding = true;
    process.stderr.write(
      `${JSON.stringify({ level: 'warn', msg: 'the network of the node was replaced' })}\n`,
    );
    const leftSeconds = Math.max(0, engineTakesForWorkingSeconds + marginSeconds - process.uptime());
    setTimeout(() => process.exit(exitCode), leftSeconds * 1000);
  }
}, pollMs).unref();

function hasAddress(): boolean {
  return Object.values(networkInterfaces()).some((list) => list?.some(({ internal }) => !internal));
}
