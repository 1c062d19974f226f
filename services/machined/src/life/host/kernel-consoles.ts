import { constants } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { pauseBy, type Timers } from '@nodewright/async';

/** Where the kernel lists its consoles, and the folder of their devices. */
export interface ConsolePlaces {
  readonly list: string;
  readonly devices: string;
}

const machinePlaces: ConsolePlaces = { list: '/sys/class/tty/console/active', devices: '/dev' };
const maxConsoles = 8;
/** How long a console that takes nothing is tried: a serial port may wait for its other end for ever. */
const retryMs = 100;
const maxRetries = 20;

/**
 * Writes a text to every console of the kernel: the screen as well as the serial port. Standard output of the first process is
 * only the last of them. A console that takes nothing for two seconds misses the rest.
 *
 * @throws Error of Node.js when the list or one of the consoles cannot be opened, after the others have the text
 */
export function createKernelConsoles(
  timers: Timers,
  places = machinePlaces,
): (text: string) => Promise<void> {
  return async (text) => {
    const names = (await readFile(places.list, 'utf8')).trim().split(/\s+/);
    const known = names.filter((name) => /^[A-Za-z]+\d*$/.test(name)).slice(0, maxConsoles);
    const results = await Promise.allSettled(
      known.map((name) => writeAll(`${places.devices}/${name}`, text, timers)),
    );
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  };
}

async function writeAll(path: string, text: string, timers: Timers): Promise<void> {
  const { O_WRONLY, O_NOCTTY, O_NONBLOCK } = constants;
  await using console = await open(path, O_WRONLY | O_NOCTTY | O_NONBLOCK);
  let rest = Buffer.from(text);
  for (let retries = 0; rest.length > 0; ) {
    try {
      const { bytesWritten } = await console.write(rest);
      rest = rest.subarray(bytesWritten);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN' || retries === maxRetries) throw error;
      retries += 1;
      await pauseBy(timers, retryMs, new AbortController().signal);
    }
  }
}
