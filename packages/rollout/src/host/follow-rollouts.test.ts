import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemTimers } from '@nodewright/async';
import { Fault } from '@nodewright/fault';
import { followRollouts } from './follow-rollouts.ts';

test('followRollouts() reports once that the plan cannot be read, and again when the reason changes', async () => {
  const end = new AbortController();
  const reasons: string[] = [];
  let reads = 0;
  await followRollouts(
    {
      store: {
        async read() {
          reads += 1;
          if (reads === 9) end.abort();
          // It answers once in between: then the same reason is news again.
          if (reads === 7) return undefined;
          throw new Fault('unavailable', reads < 4 ? 'no leader' : 'no answer');
        },
        write: async () => assert.fail('nothing is written'),
        remove: async () => assert.fail('nothing is removed'),
      },
      cluster: { look: async () => assert.fail('nobody looks') },
      actions: { start: () => assert.fail('none'), withdraw: () => assert.fail('none') },
      takeTurn: () => assert.fail('nobody takes the turn'),
      timers: { ...systemTimers, after: (_delayMs, action) => systemTimers.after(0, action) },
      report: (event) => void (event.kind === 'trouble' && reasons.push(event.reason)),
    },
    end.signal,
  );
  const text = (reason: string) => `the plan in etcd cannot be read, or not be driven: ${reason}`;
  assert.deepEqual(reasons, [text('no leader'), text('no answer'), text('no answer')]);
});
