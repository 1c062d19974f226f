import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type InboundCall, markRepeated } from '@nodewright/h2';
import type { GatewayIdentity } from '../domain/gateway-identity.ts';
import { CallPlans } from './call-plans.ts';
import type { GatewayPeer } from './gateway.ts';

const path = '/machine.MachineService/Version';
const identity = {
  readonlyRoleMode: false,
  nodeRoutingDisabled: false,
  client: undefined,
  localTargets: new Set(['node01']),
} as unknown as GatewayIdentity;

function peerWith(...organizations: string[]): GatewayPeer {
  return {
    ...{ remoteAddress: '127.0.0.1', name: '127.0.0.1:1', identity: 'a', organizations },
    ...{ hasCertificate: true, isApid: false, connection: undefined },
  };
}

function callWith(...fields: string[]): InboundCall {
  const headers = [':method', 'POST', ':path', path, 'content-type', 'application/grpc', ...fields];
  return { headers, method: 'POST', path } as unknown as InboundCall;
}

/** A call whose headers an engine has delivered before. */
function repeatedCall(...fields: string[]): InboundCall {
  const call = callWith(...fields);
  markRepeated(call.headers);
  return call;
}

test('CallPlans plans a call once while its headers repeat, its connection and the node are the same', () => {
  const plans = new CallPlans();
  const [peer, call] = [peerWith('os:reader'), repeatedCall()];
  const first = plans.of(call, peer, identity);
  assert.equal(plans.of(call, peer, identity), first);
  assert.deepEqual([first.plan.route, first.plan.caller?.roles], [{ kind: 'local' }, ['os:reader']]);
  const other = plans.of(call, peerWith('nothing'), identity);
  assert.equal(other.plan.route.kind, 'refused');
  const inMaintenance = { ...identity, readonlyRoleMode: true };
  assert.equal(plans.of(call, peer, inMaintenance).plan.caller?.source, 'maintenance');
  assert.equal(plans.of(call, peer, identity).plan.caller?.source, 'certificate');
});

test('no address is an administrator in maintenance, also not one of SideroLink', () => {
  const addresses = [
    'fdae:41e4:649b:9303::1',
    'fd00:0:0:3::1',
    'FD00:0:0:0103:0:0:0:1%eth0',
    '10.5.0.9',
    '127.0.0.1',
  ];
  const inMaintenance = { ...identity, readonlyRoleMode: true };
  const rolesOf = (remoteAddress: string) =>
    new CallPlans().of(callWith(), { ...peerWith('os:admin'), remoteAddress }, inMaintenance).plan.caller
      ?.roles;
  assert.deepEqual(
    addresses.map(rolesOf),
    addresses.map(() => ['os:reader']),
  );
});

test('CallPlans keeps no plan of headers that did not repeat, and only so many of those that did', () => {
  const plans = new CallPlans();
  const peer = peerWith('os:admin');
  for (let count = 0; count < 10; count += 1) plans.of(callWith(), peer, identity);
  assert.equal(plans.size, 0);
  for (let count = 0; count < 1000; count += 1) plans.of(repeatedCall('x', `${count}`), peer, identity);
  assert.equal(plans.size, 256);
});

test('CallPlans forgets the plans of one connection', () => {
  const plans = new CallPlans();
  const [closed, open] = [peerWith('os:admin'), peerWith('os:admin')];
  const kept = repeatedCall();
  const planned = plans.of(kept, open, identity);
  for (const field of ['a', 'b']) plans.of(repeatedCall('x', field), closed, identity);
  plans.forget(closed);
  assert.equal(plans.size, 1);
  assert.equal(plans.of(kept, open, identity), planned);
});

test('the log fields of planned calls are what the calls have in common, without secrets', () => {
  const plans = new CallPlans();
  const { logFields } = plans.of(repeatedCall('token', 'hush', 'x', '1'), peerWith('os:odd'), identity);
  assert.deepEqual(JSON.parse(`{${Buffer.from(logFields).toString().slice(1)}}`), {
    method: path,
    peer: '127.0.0.1:1',
    roles: ['os:odd'],
    rolesFrom: 'certificate',
    unknownRoles: ['os:odd'],
    metadata: { 'content-type': 'application/grpc', token: '<hidden>', x: '1' },
  });
});
