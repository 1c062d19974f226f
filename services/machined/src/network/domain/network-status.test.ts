import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RouteStatusSpec } from '@nodewright/state/kinds';
import { type NetworkFacts, networkStatusOf } from './network-status.ts';

const route = (rest: Partial<RouteStatusSpec>) =>
  ({ dst: '', type: 'unicast', table: 'main', ...rest }) as RouteStatusSpec;
const nothing: NetworkFacts = {
  ...{ addresses: [], hasHostname: false, etcFiles: [], probes: [], routes: [], isLocal: false },
};
const connected = (rest: Partial<NetworkFacts>) => networkStatusOf({ ...nothing, ...rest }).connectivityReady;

test('networkStatusOf() reports for each part whether it is ready', () => {
  const no = { addressReady: false, connectivityReady: false, hostnameReady: false, etcFilesReady: false };
  assert.deepEqual(networkStatusOf(nothing), no);
  assert.deepEqual(networkStatusOf({ ...nothing, addresses: ['10.0.0.1/24'] }), {
    ...no,
    addressReady: true,
  });
  assert.deepEqual(networkStatusOf({ ...nothing, hasHostname: true }), { ...no, hostnameReady: true });
  assert.deepEqual(networkStatusOf({ ...nothing, etcFiles: ['hosts'] }), no);
  assert.deepEqual(networkStatusOf({ ...nothing, etcFiles: ['resolv.conf', 'hosts'] }), {
    ...no,
    etcFilesReady: true,
  });
});

test('networkStatusOf() prefers probes over routes', () => {
  const probe = (success: boolean) => ({ success, lastError: '' });
  const addresses = ['10.0.0.1/24'];
  assert.equal(connected({ addresses, routes: [route({})] }), true);
  const useless = [route({ dst: '10.0.0.0/8' }), route({ type: 'unreachable' })];
  assert.equal(connected({ addresses, routes: useless }), false);
  assert.equal(connected({ routes: [route({})], probes: [probe(true), probe(false)] }), false);
  assert.equal(connected({ probes: [probe(true)] }), true);
});

test('networkStatusOf() takes the route of a machine without an address for no connection', () => {
  assert.equal(connected({ routes: [route({})] }), false);
});

test('networkStatusOf() needs no route when all nodes are on one host', () => {
  assert.equal(connected({ isLocal: true }), false);
  assert.equal(connected({ isLocal: true, addresses: ['127.0.0.2/32'] }), true);
});
