import assert from 'node:assert/strict';
import { checksOf, Skip } from '../check.ts';
import type { Subject } from '../subject/subject.ts';
import { codes } from '../wire/call-failure.ts';
import { machine, state } from '../wire/methods.ts';
import { collect, expectFailure, only } from './expect.ts';

/** A tag without a meaning: the known tags end at 0x11. */
const unusedKey = 0xf1;

/** What the system keeps for itself: upgrade, staged upgrade, encryption of STATE, boot loader of the disk image. */
const systemKeys = [0x06, 0x07, 0x08, 0x09, 0x11];

/** In a container there is no META, and the calls say so. */
async function requireMeta(subject: Subject): Promise<void> {
  if (await isContainer(subject))
    throw new Skip('a node in a container lacks a feature that this check needs: META');
}

async function isContainer({ admin }: Subject): Promise<boolean> {
  return only(await admin.unary(machine.version, {})).platform?.mode === 'container';
}

async function shownValue({ admin }: Subject, key: number): Promise<string | undefined> {
  const kind = { namespace: 'runtime', type: 'MetaKeys.runtime.talos.dev' };
  const found = await collect(admin.stream(state.list, kind));
  const id = `0x${key.toString(16).padStart(2, '0')}`;
  const spec = found.find(({ resource }) => resource?.metadata?.id === id)?.resource?.spec?.yamlSpec;
  return spec === undefined ? undefined : /^value: (.*)$/m.exec(spec)?.[1];
}

export const metaChecks = [
  ...checksOf(machine.metaWrite, {
    'meta.write': [
      'a written value is a resource under its key until it is deleted',
      async (subject) => {
        await requireMeta(subject);
        const { admin } = subject;
        only(await admin.unary(machine.metaWrite, { key: unusedKey, value: Buffer.from('conformance') }));
        assert.equal(await shownValue(subject, unusedKey), 'conformance');
        only(await admin.unary(machine.metaDelete, { key: unusedKey }));
        assert.equal(await shownValue(subject, unusedKey), undefined);
      },
    ],
    'meta.key': [
      'a key above 255 fails with INVALID_ARGUMENT "key must be a uint8"',
      async (subject) => {
        await requireMeta(subject);
        for (const call of [
          subject.admin.unary(machine.metaWrite, { key: 256, value: Buffer.from('a') }),
          subject.admin.unary(machine.metaDelete, { key: 256 }),
        ]) {
          await expectFailure(call, codes.invalidArgument, /^key must be a uint8$/);
        }
      },
    ],
    'meta.system-key': [
      'a key that belongs to the system can neither be written nor deleted: INVALID_ARGUMENT',
      async (subject) => {
        await requireMeta(subject);
        for (const key of systemKeys) {
          for (const call of [
            subject.admin.unary(machine.metaWrite, { key, value: Buffer.from('a') }),
            subject.admin.unary(machine.metaDelete, { key }),
          ]) {
            await expectFailure(call, codes.invalidArgument, /belongs to the system/);
          }
        }
      },
    ],
    'meta.room': [
      'a value that does not fit into META fails with RESOURCE_EXHAUSTED and is not stored',
      async (subject) => {
        await requireMeta(subject);
        const value = Buffer.alloc(262_144, 'a');
        const call = subject.admin.unary(machine.metaWrite, { key: unusedKey, value });
        await expectFailure(call, codes.resourceExhausted, /^meta write failed/);
        assert.equal(await shownValue(subject, unusedKey), undefined);
      },
    ],
    'meta.container': [
      'a node in a container has no META: FAILED_PRECONDITION',
      async (subject) => {
        if (!(await isContainer(subject)))
          throw new Skip('this node lacks a feature that this check needs: a container');
        const call = subject.admin.unary(machine.metaWrite, { key: unusedKey, value: Buffer.from('a') });
        await expectFailure(call, codes.failedPrecondition, /^method is not supported in container mode$/);
      },
    ],
  }),
  ...checksOf(machine.metaDelete, {
    'meta.absent': [
      'a key without a value fails with NOT_FOUND "meta key not found"',
      async (subject) => {
        await requireMeta(subject);
        const call = subject.admin.unary(machine.metaDelete, { key: unusedKey });
        await expectFailure(call, codes.notFound, /^meta key not found$/);
      },
    ],
  }),
];
