// The add-on for system calls in the bundle of machined, which uses it to read the network from the kernel.
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { MachineServiceDefinition } from '@nodewright/contract/gen/machine/machine.ts';
import { createRpcClient, openUnixChannel } from '@nodewright/rpc';
import { noTelemetry } from '@nodewright/telemetry';
import { eventually, startLoneNode } from '@nodewright/testkit';

const dist = join(import.meta.dirname, '..', '..', '_out', 'dist');

test('the bundle of machined loads its add-on from an empty folder, for the network and for captures', {
  skip: process.getuid?.() === 0 ? false : 'capturing packets needs CAP_NET_RAW: run as root',
}, async () => {
  const programs = mkdtempSync(join(tmpdir(), 'bundles-'));
  try {
    for (const name of ['machined', 'apid', 'trustd', 'udevd-bridge']) {
      cpSync(join(dist, name), join(programs, name), { recursive: true });
    }
    await using node = await startLoneNode({
      servicesFolder: programs,
      program: join(programs, 'machined', 'machined.cjs'),
    });
    const isLoaded = () => readFileSync(`/proc/${node.machined.pid}/maps`, 'utf8').includes('koffi.node');
    using channel = openUnixChannel(node.sockets.machined);
    const machine = createRpcClient(MachineServiceDefinition, channel, {
      telemetry: noTelemetry,
      metadata: { 'talos-role': 'os:operator' },
    });
    await eventually(isLoaded, { what: 'the add-on' });
    const stop = new AbortController();
    for await (const { bytes } of machine.packetCapture({ interface: 'lo' }, { signal: stop.signal })) {
      assert.equal(bytes.length, 24);
      break;
    }
    stop.abort();
  } finally {
    rmSync(programs, { recursive: true, force: true });
  }
});
