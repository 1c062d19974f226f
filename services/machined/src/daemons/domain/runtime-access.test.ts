import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nodeKinds } from '@nodewright/state/kinds';
import type { RuntimeDaemon } from './daemon-command.ts';
import { checkRuntimeAccess } from './runtime-access.ts';

const words = (daemon: RuntimeDaemon) =>
  nodeKinds.flatMap((kind) => {
    const isReadable = (id?: string) =>
      checkRuntimeAccess(daemon, id === undefined ? 'list' : 'get', {
        namespace: kind.namespace,
        type: kind.type,
        ...(id !== undefined && { id }),
      }) === undefined;
    const name = kind.type.split('.')[0];
    if (isReadable()) return [name];
    return [
      'apid',
      'api',
      'trustd',
      'os',
      'registries',
      'image-cache',
      'etcd',
      'current',
      'default',
      'hostname',
      'anything',
    ]
      .filter((id) => isReadable(id))
      .map((id) => `${name}#${id}`);
  });

test('checkRuntimeAccess() allows each daemon to read the resources that it needs, and none of any other kind', () => {
  assert.deepEqual(words('apid').sort(), [
    'APIServiceConfigs#apid',
    'APIWaits#apid',
    'ApiCertificates#api',
    'HostnameStatuses#hostname',
    'Members',
    'NodeAddresses#current',
  ]);
  assert.deepEqual(words('registryd').sort(), [
    'EtcdSpecs#etcd',
    'ImageCacheConfigs#image-cache',
    'RegistryConfigs#registries',
  ]);
  assert.deepEqual(words('trustd').sort(), ['OSRootSecrets#os', 'TrustdCertificates#trustd']);
});

test('checkRuntimeAccess() denies every write, for any resource', () => {
  const target = { namespace: 'network', type: 'NodeAddresses.net.talos.dev', id: 'current' };
  const message = (verb: 'get' | 'create' | 'update' | 'destroy', namespace = 'network') => {
    const fault = checkRuntimeAccess('apid', verb, { ...target, namespace });
    return fault && [fault.kind, fault.message];
  };
  assert.deepEqual(
    [
      message('get'),
      message('get', 'secrets'),
      message('create'),
      message('update'),
      message('destroy', 'x'),
    ],
    [
      undefined,
      ['unknown', 'access denied'],
      ['unknown', 'write access denied'],
      ['unknown', 'write access denied'],
      ['unknown', 'write access denied'],
    ],
  );
});
