import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { ports } from '@nodewright/contract';

/** A loopback address on which apid's standard port is free: apid always connects to peers at that port. */
export async function freeLoopbackAddress(): Promise<string> {
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const address = `127.${randomInt(200, 250)}.${randomInt(1, 255)}.${randomInt(2, 255)}`;
    const probe = createServer().listen(ports.apid, address);
    try {
      await once(probe, 'listening');
    } catch {
      continue;
    }
    probe.close();
    await once(probe, 'close');
    return address;
  }
  throw new Error('no loopback address is free');
}
