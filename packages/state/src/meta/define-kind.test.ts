import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pointerTo } from '../resource.ts';
import { defineKind } from './define-kind.ts';
import { namespaces, resourceDefinitions } from './meta-kinds.ts';
import { singularOf } from './singular.ts';

const kindOf = (type: string, aliases: string[] = [], skipAutomaticAliases = false) =>
  defineKind({ type, defaultNamespace: 'x', aliases, skipAutomaticAliases, spec: {} });

test('defineKind() derives the same short names as Talos from the type', () => {
  const aliases = (type: string, ...declared: string[]) => kindOf(type, declared).aliases.join(' ');
  assert.deepEqual(
    [
      aliases('Members.cluster.talos.dev'),
      aliases('MachineStatuses.runtime.talos.dev'),
      aliases('MachineTypes.config.talos.dev'),
      aliases('APIServiceConfigs.runtime.talos.dev'),
      aliases('BootIDs.runtime.talos.dev'),
      aliases('Services.v1alpha1.talos.dev', 'svc'),
      aliases('HostnameStatuses.net.talos.dev', 'hostname'),
      aliases('NodeAddresses.net.talos.dev'),
      aliases('BootedEntries.talos.dev'),
      resourceDefinitions.aliases.join(' '),
      namespaces.aliases.join(' '),
    ],
    [
      'member',
      'machinestatus ms',
      'machinetype mt mts',
      'apiserviceconfig apisc apiscs',
      'bootid bid bids',
      'svc service',
      'hostname hostnamestatus hs',
      'nodeaddress na nas',
      'bootedentry be bes',
      'api-resources resourcedefinition rd rds',
      'ns namespace',
    ],
  );
});

test('defineKind() derives all longer names, or uses only the given names', () => {
  const { id, displayType, allAliases } = kindOf('Members.cluster.talos.dev');
  assert.deepEqual(
    [id, displayType, allAliases.join(' ')],
    ['members.cluster.talos.dev', 'Member', 'members members.cluster members.cluster.talos member'],
  );
  assert.deepEqual(kindOf('MountStatuses.runtime.talos.dev', ['mounts'], true).allAliases, ['mounts']);
});

test('singularOf() forms the singular with the rules of Talos', () => {
  const rows = {
    Members: 'Member',
    AddressStatuses: 'AddressStatus',
    NodeAddresses: 'NodeAddress',
    DNSResolveCaches: 'DNSResolveCach',
    MetaLoads: 'MetaLoad',
    Identities: 'Identity',
    Processes: 'Process',
    Images: 'Image',
    KubeSpanEndpoints: 'KubeSpanEndpoint',
  };
  assert.deepEqual(Object.keys(rows).map(singularOf), Object.values(rows));
});

test('defineKind() rejects names that are not plurals in camel case with a domain', () => {
  for (const type of [
    'Member.cluster.talos.dev',
    'members.x',
    'Members',
    'Members.',
    'Members.X',
    'Mem bers.x',
  ]) {
    assert.throws(() => kindOf(type), { kind: 'invalid-argument' }, type);
  }
});

test('pointerTo() returns the only resource of a singleton kind unless an id is given', () => {
  const kind = { type: 'Clocks.test.dev', defaultNamespace: 'x', spec: {} };
  const one = { namespace: 'x', type: 'Clocks.test.dev', id: 'node' };
  assert.deepEqual(pointerTo(defineKind({ ...kind, singleton: 'node' })), one);
  assert.deepEqual(pointerTo(defineKind({ ...kind, singleton: 'node' }), 'other'), { ...one, id: 'other' });
  assert.deepEqual(pointerTo(defineKind(kind), 'wall'), { ...one, id: 'wall' });
});
