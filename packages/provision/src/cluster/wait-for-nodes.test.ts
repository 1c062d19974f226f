import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@nodewright/fault';
import { type AwaitedNode, waitForNodes } from './wait-for-nodes.ts';

const node = (name: string, isDirect: boolean): AwaitedNode => ({
  name,
  address: `address of ${name}`,
  endpoint: 'gateway',
  isDirect,
  listener: undefined,
  log: `log of ${name}`,
});

test('waitForNodes() targets each node by address, and returns the commits in the order of the nodes', async () => {
  let refusals = 3;
  const commits = await waitForNodes({
    nodes: [node('node01', true), node('node02', false)],
    probe: {
      async version(_endpoint, asked) {
        if (asked === undefined && refusals-- > 0) throw new Fault('unavailable', 'not yet');
        return asked ?? 'own';
      },
      async [Symbol.asyncDispose]() {},
    },
    watch: async () => undefined,
    timeoutMs: 10_000,
    signal: new AbortController().signal,
  });
  assert.deepEqual(commits, ['own', 'address of node02']);
});
