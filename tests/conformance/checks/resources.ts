import assert from 'node:assert/strict';
import type { Resource } from '@nodewright/contract/gen/cosi/resource/resource.ts';
import { type Event, EventType, type WatchResponse } from '@nodewright/contract/gen/cosi/resource/state.ts';
import { checksOf } from '../check.ts';
import type { Subject } from '../subject/subject.ts';
import { codes } from '../wire/call-failure.ts';
import { state } from '../wire/methods.ts';
import { collect, collectUntil, collectUntilQuiet, compareBytes, expectFailure } from './expect.ts';

const definitions = { namespace: 'meta', type: 'ResourceDefinitions.meta.cosi.dev' } as const;
const sensitive = { namespace: 'config', type: 'MachineConfigs.config.talos.dev' } as const;
const noSuchType = { namespace: 'meta', type: 'NoSuchThings.meta.cosi.dev' } as const;
const noSuchNamespace = { ...definitions, namespace: 'no-such-namespace' } as const;

type Kind = { readonly namespace: string; readonly type: string };
type WatchRequest = Parameters<typeof state.watch.encode>[0];

async function list({ admin }: Subject, kind: Kind): Promise<Resource[]> {
  const answers = await collect(admin.stream(state.list, kind));
  return answers.map(({ resource }) => {
    assert.ok(resource?.metadata !== undefined, 'a resource has no metadata');
    assert.ok(resource.spec !== undefined, 'a resource has no spec, but clients read it without a check');
    return resource;
  });
}

const watch = ({ admin }: Subject, request: WatchRequest): Promise<WatchResponse[]> =>
  collectUntilQuiet(admin.stream(state.watch, { apiVersion: 1, ...request }), 400);

const ids = (resources: readonly (Resource | undefined)[]) => resources.map((one) => one?.metadata?.id ?? '');

export const resourceChecks = [
  ...checksOf(state.list, {
    'resources.definitions': [
      'every type has a definition, whose id is its name in lower case; definitions are in byte order',
      async (subject) => {
        const found = await list(subject, definitions);
        assert.ok(
          ids(found).includes(definitions.type.toLowerCase()),
          'the definitions have no definition of their own type',
        );
        assert.deepEqual(ids(found), ids(found).toSorted(compareBytes));
        for (const { metadata } of found) {
          assert.match(metadata?.id ?? '', /^[a-z0-9.-]+$/);
          assert.deepEqual([metadata?.namespace, metadata?.type], [definitions.namespace, definitions.type]);
        }
      },
    ],
    'resources.metadata': [
      'version is a number, phase is running or tearingDown, and both forms of the spec and the times are set',
      async (subject) => {
        for (const { metadata, spec } of await list(subject, definitions)) {
          assert.match(metadata?.version ?? '', /^[1-9]\d*$/);
          assert.match(metadata?.phase ?? '', /^(running|tearingDown)$/);
          assert.ok(spec?.yamlSpec !== '' && (spec?.protoSpec.length ?? 0) > 0, metadata?.id ?? '');
          assert.ok(metadata?.created !== undefined && metadata.updated !== undefined);
        }
      },
    ],
    'resources.every-type': [
      'an administrator can list every type in its own namespace',
      async (subject) => {
        const text = (yaml: string, key: string) =>
          new RegExp(`^${key}: *"?([^"\\s]+)"?$`, 'm').exec(yaml)?.[1] ?? '';
        for (const { spec } of await list(subject, definitions)) {
          const type = text(spec?.yamlSpec ?? '', 'type');
          const namespace = text(spec?.yamlSpec ?? '', 'defaultNamespace');
          assert.ok(type !== '' && namespace !== '', spec?.yamlSpec ?? '');
          await list(subject, { type, namespace });
        }
      },
      30_000,
    ],
    'resources.id-query': [
      'id_query is a regular expression that may match anywhere in the id; an invalid one fails with INVALID_ARGUMENT',
      async ({ admin }) => {
        const ask = (regexp: string) =>
          collect(admin.stream(state.list, { ...definitions, options: { idQuery: { regexp } } }));
        const found = ids((await ask('^resourcedef')).map(({ resource }) => resource));
        assert.deepEqual(found, [definitions.type.toLowerCase()]);
        await expectFailure(ask('('), codes.invalidArgument);
      },
    ],
    'resources.list-refused': [
      'an unknown type or namespace fails with PERMISSION_DENIED, and the message names it',
      async ({ admin }) => {
        const type = collect(admin.stream(state.list, noSuchType));
        await expectFailure(
          type,
          codes.permissionDenied,
          /^resource type "NoSuchThings\.meta\.cosi\.dev" is not supported$/,
        );
        const namespace = collect(admin.stream(state.list, noSuchNamespace));
        await expectFailure(
          namespace,
          codes.permissionDenied,
          /^namespace "no-such-namespace" is not supported$/,
        );
      },
    ],
  }),
  ...checksOf(state.get, {
    'resources.get': [
      'a listed resource can be read by its id, and is the same',
      async (subject) => {
        const [first] = await list(subject, definitions);
        const { resource } = await subject.admin.unary(state.get, {
          ...definitions,
          id: first?.metadata?.id ?? '',
        });
        assert.deepEqual(resource?.metadata, first?.metadata);
        assert.equal(resource?.spec?.yamlSpec, first?.spec?.yamlSpec);
      },
    ],
    'resources.get-missing': [
      'an id that does not exist fails with NOT_FOUND',
      async ({ admin }) => {
        const call = admin.unary(state.get, { ...definitions, id: 'no-such-id' });
        await expectFailure(call, codes.notFound, /doesn't exist$/);
      },
    ],
    'resources.sensitive': [
      'a reader cannot Get, List or Watch a sensitive type: PERMISSION_DENIED "not authorized"',
      async (subject) => {
        const reader = await subject.as('os:reader');
        const refused = /^not authorized$/;
        const get = reader.unary(state.get, { ...sensitive, id: 'v1alpha1' });
        await expectFailure(get, codes.permissionDenied, refused);
        await expectFailure(collect(reader.stream(state.list, sensitive)), codes.permissionDenied, refused);
        const watching = collect(reader.stream(state.watch, { ...sensitive, apiVersion: 1 }));
        await expectFailure(watching, codes.permissionDenied, refused);
        assert.ok(
          (await collect(reader.stream(state.list, definitions))).length > 0,
          'the reader cannot list definitions either',
        );
      },
    ],
  }),
  ...checksOf(state.watch, {
    'resources.watch-ready': [
      'the first message is empty, and clients wait for it; then the watch stays open',
      async ({ admin }) => {
        const stream = admin.stream(state.watch, { ...definitions, apiVersion: 1 });
        const messages = await collectUntilQuiet(stream, 400);
        assert.deepEqual(messages[0]?.event, []);
        assert.equal(messages.length, 1, 'without bootstrap_contents, the watch sends only one message');
        assert.notEqual((await stream.status()).code, codes.ok, 'the watch ended by itself');
      },
    ],
    'resources.watch-contents': [
      'with bootstrap_contents, existing resources come as CREATED in byte order, followed by BOOTSTRAPPED',
      async (subject) => {
        const known = ids(await list(subject, definitions));
        const options = { bootstrapContents: true };
        const isBootstrapped = ({ eventType }: Event) => eventType === EventType.BOOTSTRAPPED;
        // A machine that is emulated pauses for longer than any fixed time between two of the messages.
        const [ready, ...messages] = await collectUntil(
          subject.admin.stream(state.watch, { apiVersion: 1, ...definitions, options }),
          ({ event }) => event.some(isBootstrapped),
        );
        assert.deepEqual(ready?.event, []);
        const events = messages.flatMap(({ event }) => event);
        const end = events.findIndex(isBootstrapped);
        const contents = events.slice(0, end);
        assert.ok(contents.every(({ eventType }) => eventType === EventType.CREATED));
        assert.deepEqual(ids(contents.map(({ resource }) => resource)), known);
        assert.equal(events[end]?.resource?.metadata?.id, '');
      },
    ],
    'resources.watch-one': [
      'with an id, the current state comes at once: CREATED, or DESTROYED with a tombstone if the resource does not exist',
      async (subject) => {
        const event = async (id: string) => (await watch(subject, { ...definitions, id }))[1]?.event[0];
        const id = definitions.type.toLowerCase();
        const there = await event(id);
        assert.deepEqual([there?.eventType, there?.resource?.metadata?.id], [EventType.CREATED, id]);
        const missing = await event('no-such-id');
        assert.deepEqual(
          [missing?.eventType, missing?.resource?.metadata?.version],
          [EventType.DESTROYED, 'undefined'],
        );
        assert.ok(missing?.resource?.spec !== undefined, 'the tombstone has no spec');
      },
    ],
  }),
  // These are refused to every caller, and name resources that do not exist, so they cannot change anything.
  ...checksOf(state.create, {
    'resources.create': [
      'no client can create a resource through the API: PERMISSION_DENIED "write access is not allowed"',
      async ({ admin }) => {
        const metadata = { ...definitions, id: 'no-such-id', version: '1', phase: 'running' };
        const call = admin.unary(state.create, { resource: { metadata, spec: {} } });
        await expectFailure(call, codes.permissionDenied, /^write access is not allowed$/);
      },
    ],
  }),
  ...checksOf(state.destroy, {
    'resources.destroy': [
      'no client can destroy a resource through the API: PERMISSION_DENIED "write access is not allowed"',
      async ({ admin }) => {
        const call = admin.unary(state.destroy, { ...definitions, id: 'no-such-id' });
        await expectFailure(call, codes.permissionDenied, /^write access is not allowed$/);
      },
    ],
  }),
];
