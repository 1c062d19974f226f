import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClusterServiceDefinition } from './gen/cluster/cluster.ts';
import { StateDefinition } from './gen/cosi/resource/state.ts';
import { InspectServiceDefinition } from './gen/inspect/inspect.ts';
import { DebugServiceDefinition } from './gen/machine/debug.ts';
import { ImageServiceDefinition } from './gen/machine/image.ts';
import { LifecycleServiceDefinition } from './gen/machine/lifecycle.ts';
import { LVMServiceDefinition } from './gen/machine/lvm.ts';
import { MachineServiceDefinition } from './gen/machine/machine.ts';
import { MDServiceDefinition } from './gen/machine/md.ts';
import { StorageServiceDefinition as FileSystemServiceDefinition } from './gen/machine/storage.ts';
import { StorageServiceDefinition } from './gen/storage/storage.ts';
import { TimeServiceDefinition } from './gen/time/time.ts';
import type { MethodKind } from './method-rule.ts';
import { methodTable } from './method-table.ts';
import { isOneToManyMethod } from './one-to-many.ts';
import { roles } from './roles.ts';

interface MethodDefinition {
  readonly name: string;
  readonly requestStream: boolean;
  readonly responseStream: boolean;
}

interface ServiceDefinition {
  readonly fullName: string;
  readonly methods: Readonly<Record<string, MethodDefinition>>;
}

const services: readonly ServiceDefinition[] = [
  MachineServiceDefinition,
  ClusterServiceDefinition,
  InspectServiceDefinition,
  StorageServiceDefinition,
  TimeServiceDefinition,
  StateDefinition,
  ImageServiceDefinition,
  LifecycleServiceDefinition,
  DebugServiceDefinition,
  FileSystemServiceDefinition,
  LVMServiceDefinition,
  MDServiceDefinition,
];

function kindOf({ requestStream, responseStream }: MethodDefinition): MethodKind {
  if (requestStream) return responseStream ? 'bidi' : 'client-stream';
  return responseStream ? 'server-stream' : 'unary';
}

const described = Object.fromEntries(
  services.flatMap(({ fullName, methods }) =>
    Object.values(methods).map((method) => [`/${fullName}/${method.name}`, kindOf(method)] as const),
  ),
);

test('methodTable has the methods of the generated services, of the same kind, and no others', () => {
  const kinds = Object.fromEntries(Object.entries(methodTable).map(([name, rule]) => [name, rule.kind]));
  assert.deepEqual(kinds, described);
});

test('methodTable lets an administrator do everything and an impersonator nothing', () => {
  const rules = Object.entries(methodTable);
  const without = rules.filter(([, rule]) => !rule.roles.includes(roles.admin));
  const impersonated = rules.filter(([, rule]) => rule.roles.includes(roles.impersonator));
  assert.deepEqual({ without, impersonated }, { without: [], impersonated: [] });
});

test('methodTable and isOneToManyMethod() agree on what takes `nodes`', () => {
  const differing = Object.entries(methodTable).filter(
    ([name, rule]) => rule.nodes !== isOneToManyMethod(name),
  );
  assert.deepEqual(differing, []);
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
