// How `make up` chooses a provisioner, and which image tags `make down` may remove.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseProvisioner } from '../../tools/up/choose-provisioner.ts';
import { tagsMade } from '../../tools/up/made-images.ts';

const ready = { state: 'ready', engine: '28.0.0', compose: '2.30.0' } as const;
const absent = { state: 'absent', advice: 'no Docker engine answers' } as const;

test('chooseProvisioner() takes docker when an engine answers, otherwise processes, and says why', () => {
  const choice = { wanted: '', existing: undefined };
  assert.deepEqual(chooseProvisioner({ ...choice, engine: ready }), { provisioner: 'docker' });
  assert.deepEqual(chooseProvisioner({ ...choice, engine: absent }), {
    provisioner: 'process',
    note: 'no Docker engine answers: using processes',
  });
});

test('chooseProvisioner() follows the user first, then the existing cluster', () => {
  const rows = [
    ['process', undefined, 'process'],
    ['docker', 'process', 'docker'],
    ['', 'process', 'process'],
    ['', 'docker', 'docker'],
  ] as const;
  for (const [wanted, existing, provisioner] of rows)
    for (const engine of [ready, absent])
      assert.deepEqual(chooseProvisioner({ wanted, existing, engine }), { provisioner });
});

test('tagsMade() returns new tags, and recorded tags that were rebuilt', () => {
  const known = { 'nodewright/apid:dev': 'a1', 'nodewright/toolbox:dev': 't1' };
  const before = { ...known, 'jaegertracing/jaeger:1': 'j1', 'nodewright/trustd:dev': 'theirs' };
  const after = {
    'nodewright/apid:dev': 'a2',
    'nodewright/toolbox:dev': 't1',
    'nodewright/machined:dev': 'm1',
    'nodewright/trustd:dev': 'd2',
    'jaegertracing/jaeger:1': 'j1',
  };
  assert.deepEqual(tagsMade(known, before, after), {
    'nodewright/apid:dev': 'a2',
    'nodewright/toolbox:dev': 't1',
    'nodewright/machined:dev': 'm1',
  });
});

test('tagsMade() never claims a tag that existed before anything was recorded', () => {
  assert.deepEqual(tagsMade({}, { 'nodewright/apid:dev': 'a1' }, { 'nodewright/apid:dev': 'a2' }), {});
  assert.deepEqual(
    tagsMade(
      { 'nodewright/apid:dev': 'a0' },
      { 'nodewright/apid:dev': 'a1' },
      { 'nodewright/apid:dev': 'a1' },
    ),
    {},
  );
});
