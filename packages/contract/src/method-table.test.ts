import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFileRegistry, fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { descriptorSet } from './gen/descriptors.ts';
import { methodKinds } from './machine-services.ts';
import { methodRule, methodTable } from './method-table.ts';
import { roles } from './roles.ts';

/** Packages of contracts that others serve: trustd, etcd, containerd, every gRPC server, and ours among the daemons. */
const servedByOthers = /^(securityapi|etcdserverpb|containerd|grpc|suite)\./;

/** The methods that the descriptors hold, by full name, with how they flow. */
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
  const inTheirWords = {
    unary: 'unary',
    'server-stream': 'server_streaming',
    'client-stream': 'client_streaming',
    bidi: 'bidi_streaming',
  };
  assert.deepEqual(
    Object.fromEntries(Object.entries(methodKinds).map(([name, kind]) => [name, inTheirWords[kind]])),
    described,
  );
});

test('methodRule() knows methods alone, not what every object has', () => {
  const known = ['/machine.MachineService/Version', '/machine.MachineService/version', 'constructor', ''].map(
    (name) => methodRule(name) !== undefined,
  );
  assert.deepEqual(known, [true, false, false, false]);
});

test('methodTable lets an administrator do everything and an impersonator nothing', () => {
  const rules = Object.entries(methodTable);
  const without = rules.filter(([, rule]) => !rule.roles.includes(roles.admin));
  const impersonated = rules.filter(([, rule]) => rule.roles.includes(roles.impersonator));
  assert.deepEqual({ without, impersonated }, { without: [], impersonated: [] });
});

test('methodTable calls every method that only administrators and operators have a change, except readings of secrets', () => {
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

test('methodTable calls a method that readers have a read, except those that maintenance opens to them', () => {
  const differing = Object.entries(methodTable)
    .filter(([, rule]) => rule.roles.includes(roles.reader) && rule.mutates !== (rule.maintenance === true))
    .map(([name]) => name);
  assert.deepEqual(differing, []);
});
