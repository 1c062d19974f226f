import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openEngine } from '../engine/index.ts';
import { watchForHopelessContainer } from './watch-for-hopeless-container.ts';

/** An engine with a node that has ended with this code whenever somebody looks, and was started again in between. */
function engineWith(exitCode: number, restartCount: (look: number) => number) {
  let looks = 0;
  return openEngine({
    ...{ environment: {}, variables: {} },
    docker: async ([word]) => {
      const said = (stdout: string) => ({ code: 0, stdout, stderr: '' });
      if (word === 'ps') return said('id1');
      if (word === 'logs') return said('the last line');
      looks += 1;
      const state = { Running: false, Restarting: false, Pid: 0, ExitCode: exitCode };
      return said(
        JSON.stringify([
          {
            ...{ Id: 'id1', RestartCount: restartCount(looks) },
            Config: { Image: 'image', Labels: { 'com.docker.compose.service': 'node01' } },
            State: { ...state, StartedAt: `2026-01-01T00:00:${String(looks).padStart(2, '0')}Z` },
          },
        ]),
      );
    },
  });
}

for (const [who, restartCount] of [
  ['the engine', (look: number) => look],
  ['the keeper', () => 0],
] as const)
  test(`a container that keeps exiting is hopeless when ${who} restarts it`, async () => {
    const limit = AbortSignal.timeout(5000);
    const fault = await watchForHopelessContainer(engineWith(1, restartCount), '/c', limit, 5);
    assert.equal(fault?.message, 'node01 keeps exiting (exit code 1): the last line');
  });

test('a container that reboots is not hopeless', async () => {
  const engine = engineWith(73, (look) => look);
  assert.equal(await watchForHopelessContainer(engine, '/c', AbortSignal.timeout(200), 5), undefined);
});
