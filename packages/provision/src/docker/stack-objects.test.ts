import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openEngine, type TryDocker } from '../engine/index.ts';
import { removeObjects } from './stack-objects.ts';

/**
 * A fake engine with networks only. `onLook` is called with the number of times that the networks were
 * listed.
 */
function engineWith(networks: Set<string>, onLook: (looks: number) => void = () => {}) {
  let looks = 0;
  const docker: TryDocker = async (args) => {
    const said = (stdout: string) => ({ code: 0, stdout, stderr: '' });
    if (args[0] !== 'network') return said('');
    if (args[1] === 'rm') for (const name of args.slice(2)) networks.delete(name);
    if (args[1] !== 'ls') return said('');
    looks += 1;
    onLook(looks);
    return said([...networks].join('\n'));
  };
  return { engine: openEngine({ environment: {}, variables: {}, docker }), looks: () => looks };
}

test('removeObjects() removes objects that appear after everything else was removed', async () => {
  const networks = new Set(['first']);
  const { engine } = engineWith(networks, (looks) => looks === 5 && networks.add('late'));
  await removeObjects(engine, '/c', { graceful: false, mayAppear: true });
  assert.deepEqual([...networks], []);
});

test('removeObjects() lists the objects only once more when no further object can appear', async () => {
  const { engine, looks } = engineWith(new Set(['only']));
  await removeObjects(engine, '/c', { graceful: true });
  assert.equal(looks(), 2);
});

test('removeObjects() retries when the engine does not remove an object at first', async () => {
  const networks = new Set(['busy']);
  const { engine } = engineWith(networks, (looks) => looks < 8 && networks.add('busy'));
  await removeObjects(engine, '/c', { graceful: false });
  assert.deepEqual([...networks], []);
});
