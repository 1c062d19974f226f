// Loaded before a daemon that lives in the network of its node's machined (`--require`). When that container ends, the
// engine takes the network away and gives machined a new one at its next start, while its neighbours stay behind in the
// old one without an address. So a daemon that has lost every address ends as soon as machined has made its runtime
// socket anew: the engine starts it again, in the network that is there now. Before that it stays, because an engine does
// not retry a container whose network is missing.
import { statSync } from 'node:fs';
import { networkInterfaces } from 'node:os';

const pollMs = 500;
/**
 * An engine doubles its pause before a restart, up to a minute, while a container ends sooner than this after its start.
 * So a daemon that is younger stays a little longer, and a node that reboots often is not away for a minute.
 */
const engineTakesForWorkingSeconds = 10;
/** As if the daemon had been told to end by SIGTERM and had been too slow. */
const exitCode = 143;
const runtimeSocket = process.argv[process.argv.indexOf('--runtime-socket') + 1] ?? '';

/** When the runtime socket was made last while there was a network. */
let madeMs: number | undefined;
let hadAddress = false;
let isEnding = false;

setInterval(() => {
  const now = statSync(runtimeSocket, { throwIfNoEntry: false })?.mtimeMs;
  if (hasAddress()) {
    hadAddress = true;
    madeMs = now;
  } else if (hadAddress && now !== undefined && now !== madeMs && !isEnding) {
    isEnding = true;
    process.stderr.write(
      `${JSON.stringify({ level: 'warn', msg: 'the network of the node was replaced' })}\n`,
    );
    const leftSeconds = Math.max(0, engineTakesForWorkingSeconds - process.uptime());
    setTimeout(() => process.exit(exitCode), leftSeconds * 1000);
  }
}, pollMs).unref();

function hasAddress(): boolean {
  return Object.values(networkInterfaces()).some((list) => list?.some(({ internal }) => !internal));
}
