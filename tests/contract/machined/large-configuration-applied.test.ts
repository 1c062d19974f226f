// The largest accepted configurations take effect: their resources are created while other calls are
// answered.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StateDefinition } from '@nodewright/contract/gen/cosi/resource/state.ts';
import { MachineServiceDefinition } from '@nodewright/contract/gen/machine/machine.ts';
import { faultFrom } from '@nodewright/fault';
import { codecsOf, type Pointer, pointerTo, type ResourceKind, type State } from '@nodewright/state';
import { kernelParamStatuses, linkSpecs, nodeKinds } from '@nodewright/state/kinds';
import { createStateClient } from '@nodewright/state/wire';
import { clusterSecrets, nodeConfig } from './harness/cluster-material.ts';
import { longestStopMs } from './harness/event-loop-load.ts';
import { ownAddress, startNode } from './harness/node-under-test.ts';

/**
 * The promise is 100 ms, and a loaded machine needs reserve. Without interruption each of these took a
 * second.
 */
const mostMs = 250;

const ordinary = nodeConfig({
  secrets: await clusterSecrets(),
  type: 'worker',
  timeServer: '127.0.0.1:1',
  controlPlaneAddress: ownAddress(),
});
const withMachine = (lines: string) => ordinary.replace('machine:\n', `machine:\n${lines}`);
const list = (count: number, line: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => line(at)).join('');

const configurations: readonly {
  readonly what: string;
  readonly text: string;
  readonly kind: ResourceKind<unknown>;
  /** The resource that is created last, because they are created in the order of their ids. */
  readonly last: string;
}[] = [
  {
    what: '14,000 parameters of the kernel',
    text: withMachine(`    sysctls:\n${list(14_000, (at) => `        net.a${at}: "1"\n`)}`),
    kind: kernelParamStatuses,
    last: 'proc.sys.net.a9999',
  },
  {
    what: '4,500 interfaces',
    text: withMachine(
      `    network:\n        interfaces:\n${list(4500, (at) => `            - interface: e${at}\n              mtu: 1500\n`)}`,
    ),
    kind: linkSpecs,
    last: 'e999',
  },
];

async function isThere(state: State, pointer: Pointer): Promise<boolean> {
  try {
    await state.get(pointer);
    return true;
  } catch (error) {
    if (faultFrom(error).kind !== 'not-found') throw error;
    return false;
  }
}

for (const { what, text, kind, last } of configurations) {
  test(`a configuration with ${what} takes effect while other calls are answered`, async (context) => {
    await using node = await startNode({ configuration: 'none' });
    const machine = node.client(MachineServiceDefinition, 'os:admin');
    const state = createStateClient({
      client: node.client(StateDefinition, 'os:admin'),
      codecs: codecsOf(nodeKinds),
    });
    const answer = machine.applyConfiguration({ data: Buffer.from(text), mode: 1 });
    const stopMs = await longestStopMs(
      node.machined.pid,
      () => machine.version({}),
      () => isThere(state, pointerTo(kind, last)),
    );
    context.diagnostic(`longest stop ${stopMs} ms`);
    assert.equal((await answer).messages[0]?.modeDetails, 'Applied configuration without a reboot');
    assert.equal(stopMs <= mostMs, true, `stopped for ${stopMs} ms`);
  });
}
