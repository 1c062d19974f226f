import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceInfo } from '@nodewright/contract/gen/machine/machine.ts';
import { serviceTrouble } from './service-trouble.ts';

const service = (state: string, healthy: boolean, ...events: readonly (readonly [string, string])[]) =>
  ServiceInfo.fromPartial({
    ...{ state, health: { healthy } },
    events: { events: events.map(([then, msg]) => ({ state: then, msg })) },
  });
const restart = [
  'Waiting',
  'Error running Process(["etcd"]), going to restart forever: exit status 1',
] as const;

test('serviceTrouble() gives the last end of a service that has failed or is started again', () => {
  assert.equal(serviceTrouble(service('Waiting', false, ['Running', 'up'], restart)), 'exit status 1');
  assert.equal(serviceTrouble(service('Running', false, restart, ['Running', 'up'])), 'exit status 1');
  assert.equal(serviceTrouble(service('Failed', false, ['Failed', 'no disk'])), 'no disk');
});

test('serviceTrouble() is undefined for a service that runs, and for one that has not ended', () => {
  assert.equal(serviceTrouble(service('Running', true, restart)), undefined);
  assert.equal(serviceTrouble(service('Preparing', false, ['Preparing', 'Running pre state'])), undefined);
});
