import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  addressHostname,
  fullHostname,
  nodenameFromHostname,
  parseHostname,
  stableHostname,
} from './hostname.ts';

test('parseHostname() splits a name at its first dot', () => {
  assert.deepEqual(parseHostname('a.b.c'), { hostname: 'a', domainname: 'b.c' });
  assert.deepEqual(parseHostname('a'), { hostname: 'a', domainname: '' });
  assert.equal(fullHostname({ hostname: 'a', domainname: 'b.c' }), 'a.b.c');
  assert.equal(fullHostname({ hostname: 'a', domainname: '' }), 'a');
});

test('stableHostname() is the same for the same machine', () => {
  // printf id | sha256sum: its first 8 bytes are 2ijee5if8j83i in base 36.
  assert.equal(stableHostname('id'), 'talos-ije-e5i');
});

test('addressHostname() converts an address', () => {
  assert.equal(addressHostname('10.0.0.1/24'), 'talos-10-0-0-1');
  assert.equal(addressHostname('fd00::1/64'), 'talos-fd00-1');
});

test('nodenameFromHostname() returns a valid name for Kubernetes', () => {
  const names = ['Node-01', 'a_b', '-x.', 'knoten-ü1', 'node01.lab.example'];
  assert.deepEqual(names.map(nodenameFromHostname), [
    'node-01',
    'a-b',
    'x',
    'knoten-1',
    'node01.lab.example',
  ]);
});
