// A lease of a minute on a machine, over ten minutes in which the server stops and starts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@nodewright/testkit';
import { openWorkplace } from '../use-machine.ts';
import { makeToolsImage, prepareToolsMachine, stepTimeoutMs } from './network-machine.ts';
import { openMachineNetwork, skip } from './open-network.ts';

const leaseSeconds = 60;
const minutes = Number(process.env.MINUTES || 10);

const acknowledged = (text: string) => text.match(/DHCPACK/g)?.length ?? 0;

test(`a lease of ${leaseSeconds} s is renewed for ${minutes} minutes, over pauses of its server, and ends without it`, {
  skip,
}, async (t) => {
  using place = openWorkplace();
  const image = await makeToolsImage(place);
  await using network = await openMachineNetwork();
  const connection = network.connect();
  const start = await prepareToolsMachine({ place, image, connection });
  let server = await network.serve(`${leaseSeconds}s`);
  try {
    await using node = await start();
    const address = `${connection.address}/24`;
    const shown = () => node.tools.ip('-4 address show dev eth0');
    const lifetimes: number[] = [];
    const endMs = performance.now() + minutes * 60_000;
    let acks = 0;
    for (let round = 0; performance.now() < endMs; round += 1) {
      // Two renewals with the server, and one third of the lease without it: shorter than what is left at a renewal.
      await sleep(leaseSeconds * 1000);
      assert.ok((await shown()).includes(address), 'the address is gone while its server answers');
      acks += acknowledged(server.text());
      await server[Symbol.asyncDispose]();
      await sleep((leaseSeconds * 1000) / 3);
      assert.ok((await shown()).includes(address), 'the address is gone before the lease has ended');
      server = await network.serve(`${leaseSeconds}s`);
      lifetimes.push(round);
    }
    acks += acknowledged(server.text());
    t.diagnostic(`${acks} acknowledgements over ${lifetimes.length} rounds`);
    assert.ok(acks >= lifetimes.length, `${acks} acknowledgements`);
    await server[Symbol.asyncDispose]();
    // The tools cannot be asked without an address, so its return is what is seen.
    await sleep(2 * leaseSeconds * 1000);
    await assert.rejects(fetch(`http://${connection.address}:8099/`, { signal: AbortSignal.timeout(5000) }));
    server = await network.serve(`${leaseSeconds}s`);
    await eventually(() => node.tools.answers(), { what: 'the address again', timeoutMs: stepTimeoutMs });
    assert.ok((await shown()).includes(address));
  } finally {
    await server[Symbol.asyncDispose]();
  }
});
