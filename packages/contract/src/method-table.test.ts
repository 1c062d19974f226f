import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFileRegistry, fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { descriptorSet } from './gen/descriptors.ts';
import { methodKinds } from './machine-services.ts';
import { isReaderRead, methodRule, methodTable } from './method-table.ts';
import { roles } from './roles.ts';

/**
 * Packages of services that machined does not serve: those of trustd, etcd, containerd, every gRPC server,
 * and internal ones.
 */
const servedByOthers =
  /^(securityapi|etcdserverpb|containerd|grpc|suite\.(?!registry\.|extensions\.|upgrade\.))/;

/** The methods in the descriptors, by full name, with their kind. */
const described = Object.fromEntries(
  [...createFileRegistry(fromBinary(FileDescriptorSetSchema, descriptorSet()))]
    .filter((description) => description.kind === 'service')
    .filter(({ typeName }) => !servedByOthers.test(typeName))
    .flatMap(({ typeName, methods }) =>
      methods.map(({ name, methodKind }) => [`/${typeName}/${name}`, methodKind] as const),
    ),
);

test('methodTable has a row for every method of the descriptors, and no others', () => {
  assert.deepEqual(Object.keys(methodTable).sort(), Object.keys(described).sort());
});

test('methodKinds agrees with the descriptors', () => {
  const kindNames = {
    unary: 'unary',
    'server-stream': 'server_streaming',
    'client-stream': 'client_streaming',
    bidi: 'bidi_streaming',
  };
  assert.deepEqual(
    Object.fromEntries(Object.entries(methodKinds).map(([name, kind]) => [name, kindNames[kind]])),
    described,
  );
});

test('methodRule() returns undefined for names such as `constructor` that every object has', () => {
  const known = ['/machine.MachineService/Version', '/machine.MachineService/version', 'constructor', ''].map(
    (name) => methodRule(name) !== undefined,
  );
  assert.deepEqual(known, [true, false, false, false]);
});

test('methodTable allows an administrator every method and an impersonator none', () => {
  const rules = Object.entries(methodTable);
  const without = rules.filter(([, rule]) => !rule.roles.includes(roles.admin));
  const impersonated = rules.filter(([, rule]) => rule.roles.includes(roles.impersonator));
  assert.deepEqual({ without, impersonated }, { without: [], impersonated: [] });
});

test('methodTable marks the methods of admins and operators as mutating, except reads of secrets', () => {
  const secretReads = Object.entries(methodTable)
    .filter(([, rule]) => !rule.mutates && !rule.roles.includes(roles.reader))
    .map(([name]) => name.slice(name.lastIndexOf('/') + 1));
  assert.deepEqual(secretReads.sort(), [
    'Copy',
    'EtcdDowngradeValidate',
    'EtcdSnapshot',
    'PacketCapture',
    'Read',
  ]);
});

test('isReaderRead() is true only for methods that change nothing and that readers may call', () => {
  const cases = {
    '/machine.MachineService/Memory': true,
    '/machine.MachineService/Logs': true,
    '/cosi.resource.State/List': true,
    '/cosi.resource.State/Update': false,
    '/machine.MachineService/Read': false,
    '/machine.MachineService/EtcdSnapshot': false,
    '/machine.MachineService/Reboot': false,
    '/machine.MachineService/Future': false,
    constructor: false,
  };
  assert.deepEqual(Object.fromEntries(Object.keys(cases).map((path) => [path, isReaderRead(path)])), cases);
});

test('methodTable marks the methods of readers as reads, except those that are open in maintenance', () => {
  const differing = Object.entries(methodTable)
    .filter(([, rule]) => rule.roles.includes(roles.reader) && rule.mutates !== (rule.maintenance === true))
    .map(([name]) => name);
  assert.deepEqual(differing, []);
});
