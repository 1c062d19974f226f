import assert from 'node:assert/strict';
import { test } from 'node:test';
import { services } from '@nodewright/state/kinds';
import { openControllerRig } from '../../base/testing/controller-rig.ts';
import { udevRulesController } from './udev-rules.ts';

const machine = (rules: string[]) =>
  JSON.stringify({ version: 'v1alpha1', machine: { type: 'worker', udev: { rules } } });
const up = { running: true, healthy: true, unknown: false };

/** The controller with a file in memory, and what it did. */
function openRules() {
  const done: string[] = [];
  let file = '';
  const controller = udevRulesController({
    async writeRules(text) {
      const isNew = text !== file;
      if (isNew) done.push(`write ${JSON.stringify(text)}`);
      file = text;
      return isNew;
    },
    applyRules: async () => void done.push('apply'),
  });
  return { done, rig: openControllerRig([controller]) };
}

test('rules that are there before udevd starts are only written', async () => {
  const { done, rig } = openRules();
  await using node = rig;
  await node.configure(machine(['KERNEL=="vda"']));
  await node.put(services, 'udevd', up);
  assert.deepEqual(done, ['write "KERNEL==\\"vda\\"\\n"']);
});

test('a running udevd applies each change of the rules once it has processed the devices', async () => {
  const { done, rig } = openRules();
  await using node = rig;
  await node.put(services, 'udevd', { running: true, healthy: false, unknown: true });
  await node.configure(machine(['a']));
  assert.deepEqual(done, ['write "a\\n"']);
  await node.put(services, 'udevd', up);
  assert.deepEqual(done.splice(0), ['write "a\\n"', 'apply']);
  await node.configure(machine(['a']));
  assert.deepEqual(done, []);
  await node.configure(machine([]));
  assert.deepEqual(done.splice(0), ['write ""', 'apply']);
});

test('UdevRulesConfig replaces the rules of the legacy document', async () => {
  const { done, rig } = openRules();
  await using node = rig;
  const document = 'apiVersion: v1alpha1\nkind: UdevRulesConfig\nrules:\n  - b\n';
  await node.configure(`${machine(['a'])}\n---\n${document}`);
  assert.deepEqual(done, ['write "b\\n"']);
});
