import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@nodewright/fault';
import { MemoryState, type Pointer, pointerTo, putResource, type Resource } from '@nodewright/state';
import { machineConfigs } from '@nodewright/state/kinds';
import { activeConfigId, configurationOf, type NodeConfiguration } from './configuration-of.ts';

const active = pointerTo(machineConfigs, activeConfigId);

function openPass() {
  const state = new MemoryState({ now: () => 0, cookie: new Uint8Array(8) });
  const get = <S>(pointer: Pointer<S>): Promise<Resource<S> | undefined> =>
    state.get(pointer).catch((error: unknown) => {
      if (error instanceof Fault && error.kind === 'not-found') return undefined;
      throw error;
    });
  return { pass: { get }, apply: (spec: string) => putResource(state, { ...active, spec }) };
}

const valuesOf = (configuration?: NodeConfiguration) => configuration?.documents.map(({ value }) => value);

test('configurationOf() returns undefined when there is no configuration', async () => {
  assert.equal(await configurationOf(openPass().pass), undefined);
});

test('configurationOf() decodes each configuration once and decodes a changed one again', async () => {
  const { pass, apply } = openPass();
  await apply('# mine\napiVersion: v1alpha1\nkind: HostnameConfig\nhostname: a\n');
  const first = await configurationOf(pass);
  assert.equal(first?.text.startsWith('# mine'), true);
  assert.deepEqual(valuesOf(first), [{ hostname: 'a' }]);
  assert.equal(first?.effective.isComplete, false);
  assert.equal(await configurationOf(pass), first);
  await apply('apiVersion: v1alpha1\nkind: HostnameConfig\nhostname: b\n');
  assert.deepEqual(valuesOf(await configurationOf(pass)), [{ hostname: 'b' }]);
});

test('configurationOf() throws a fault that names the line that it cannot decode', async () => {
  const { pass, apply } = openPass();
  await apply('apiVersion: v1alpha1\nkind: HostnameConfig\nhostnam: a\n');
  await assert.rejects(configurationOf(pass), { kind: 'invalid-argument', message: /line 1/ });
});
