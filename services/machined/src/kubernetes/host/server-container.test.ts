import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryState, pointerTo, putResource } from '@nodewright/state';
import { nodenames, staticPodStatuses } from '@nodewright/state/kinds';
import fc from 'fast-check';
import { ServerContainer } from './server-container.ts';

const status = pointerTo(staticPodStatuses, 'kube-system/kube-apiserver-node01');
const healthy = async () => ({ healthy: true }) as const;

/** What the kubelet reports: a container, a pod that has none yet, or nothing while it is away. */
type Report = 'a' | 'b' | 'c' | 'no container' | 'away';

async function openContainer() {
  const state = new MemoryState({ now: () => 0, cookie: Buffer.alloc(8) });
  await state.create({ ...pointerTo(nodenames), spec: nodenameSpec });
  const container = new ServerContainer(state);
  return {
    container,
    async report(what: Report) {
      if (what === 'away') {
        if ((await state.list(staticPodStatuses)).length > 0) await state.destroy(status);
      } else {
        const containerStatuses = what === 'no container' ? [{ containerID: '' }] : [{ containerID: what }];
        await putResource(state, { ...status, spec: { podStatus: { containerStatuses } } });
      }
      await container.observe();
    },
  };
}

const nodenameSpec = { ...nodenames.codec.fromProto(new Uint8Array()), nodename: 'node01' };

test('a container that the kubelet reported before it restarted is no successor afterwards', async () => {
  const { container, report } = await openContainer();
  await report('a');
  await report('away');
  const check = await container.checkSuccessor(healthy);
  const results = [];
  for (const what of ['away', 'a', 'no container', 'b'] as const) {
    await report(what);
    results.push((await check(1)).healthy);
  }
  assert.deepEqual(results, [false, false, false, true]);
});

test('a successor is ready only when it says so', async () => {
  const { container, report } = await openContainer();
  await report('a');
  const check = await container.checkSuccessor(async () => ({ healthy: false, message: 'refused' }));
  await report('b');
  assert.deepEqual(await check(1), { healthy: false, message: 'refused' });
});

test('an API server whose container is not reported cannot be replaced', async () => {
  const { container, report } = await openContainer();
  const rows = [];
  for (const what of ['away', 'no container', 'a', 'away'] as const) {
    await report(what);
    rows.push([what, (await container.obstacle()) === undefined, await container.isUnreported()]);
  }
  assert.deepEqual(rows, [
    ['away', false, true],
    ['no container', false, false],
    ['a', true, false],
    ['away', false, true],
  ]);
});

test('whatever a kubelet reports, only another container that it reports now is a successor', async () => {
  const reports = fc.array(fc.constantFrom<Report>('a', 'b', 'c', 'no container', 'away'), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(reports, reports, async (earlier, later) => {
      const { container, report } = await openContainer();
      for (const what of earlier) await report(what);
      const isId = (what: Report) => what !== 'no container' && what !== 'away';
      const before = earlier.findLast(isId);
      const check = await container.checkSuccessor(healthy);
      for (const what of later) {
        await report(what);
        assert.equal((await check(1)).healthy, isId(what) && what !== before, `${what} after ${before}`);
      }
    }),
  );
});
