import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mergeApis } from './topic.ts';

const methods = (...names: string[]) => Object.fromEntries(names.map((name) => [name, () => {}]));

test('mergeApis() returns the methods of all topics as one API', () => {
  const merged = mergeApis([
    { 'machine.MachineService': methods('list', 'read') },
    { 'machine.MachineService': methods('logs'), 'time.TimeService': methods('time') },
  ]);
  const names = Object.entries(merged).map(([service, object]) => [service, Object.keys(object)]);
  assert.deepEqual(names, [
    ['machine.MachineService', ['list', 'read', 'logs']],
    ['time.TimeService', ['time']],
  ]);
});

test('mergeApis() rejects two topics that serve the same method', () => {
  const apis = [{ 'time.TimeService': methods('time') }, { 'time.TimeService': methods('time') }];
  assert.throws(() => mergeApis(apis), { message: 'time.TimeService has two methods time' });
});
