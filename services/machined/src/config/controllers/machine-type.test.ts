import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestRuntime } from '@nodewright/controllers/testing';
import { machineTypes } from '@nodewright/state/kinds';
import { decodeConfiguration } from '../../base/domain/machine-configuration.ts';
import { ConfigurationKeeper } from './configuration-keeper.ts';
import { createMachineTypeController } from './machine-type.ts';

test('config.MachineTypeController publishes the machine type of the active configuration', async () => {
  await using rig = openTestRuntime({ controllers: [createMachineTypeController()] });
  const keeper = new ConfigurationKeeper(rig.state, rig.timers, { async store() {} });
  const typeWith = async (text: string) => {
    await keeper.activate(decodeConfiguration(text));
    await rig.settled();
    return (await rig.state.list(machineTypes)).map(({ metadata, spec }) => `${metadata.id} ${spec}`);
  };
  const partial = 'apiVersion: v1alpha1\nkind: HostnameConfig\nhostname: a\n';
  assert.deepEqual(await typeWith(partial), []);
  assert.deepEqual(await typeWith('machine:\n  type: controlplane\n'), ['machine-type controlplane']);
  assert.deepEqual(await typeWith('machine:\n  type: worker\n'), ['machine-type worker']);
  assert.deepEqual(await typeWith('machine:\n  type: join\n'), ['machine-type worker']);
  assert.deepEqual(await typeWith('machine:\n  type: init\n'), ['machine-type init']);
});
