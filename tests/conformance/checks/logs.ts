import assert from 'node:assert/strict';
import { ContainerDriver } from '@nodewright/contract/gen/common/common.ts';
import { checksOf } from '../check.ts';
import type { Subject } from '../subject/subject.ts';
import { codes } from '../wire/call-failure.ts';
import { machine } from '../wire/methods.ts';
import { collect, collectBytes, collectUntilQuiet, expectFailure, only, whenAwaited } from './expect.ts';
import { isSameLog } from './log-overlap.ts';

type Request = Parameters<typeof machine.logs.encode>[0];
const chunkBytes = 1024;
const system = { namespace: 'system', driver: ContainerDriver.CONTAINERD } as const;

const open = ({ admin }: Subject, request: Request) => admin.stream(machine.logs, { ...system, ...request });
const text = async (subject: Subject, request: Request) =>
  (await collectBytes(open(subject, request))).toString('utf8');
const refused = (subject: Subject, request: Request, code: number, message: RegExp) =>
  expectFailure(collect(subject.admin.stream(machine.logs, request)), code, message).then(() => {});

/** Calls that a node refuses: it may log calls that succeed and change nothing at a lower level. */
async function logLines({ admin }: Subject, count: number): Promise<void> {
  for (let call = 0; call < count; call += 1)
    await expectFailure(admin.unary(machine.serviceRestart, { id: 'no-such-service' }), codes.unknown);
}

export const logChecks = [
  ...checksOf(machine.logs, {
    'logs.chunks': [
      'the log of machined is sent in chunks of 1 to 1024 bytes, which together are whole lines',
      async (subject) => {
        const chunks = (await collect(open(subject, { id: 'machined', tailLines: -1 }))).map(
          ({ bytes }) => bytes,
        );
        assert.ok(chunks.length > 0, 'the log is empty');
        assert.ok(chunks.every(({ length }) => length > 0 && length <= chunkBytes));
        assert.ok(Buffer.concat(chunks).toString().endsWith('\n'), 'the last line is incomplete');
      },
    ],
    'logs.tail': [
      'tail_lines of N starts N lines before the end',
      async (subject) => {
        for (const count of [1, 3, 7]) {
          const tail = await text(subject, { id: 'machined', tailLines: count });
          assert.equal(
            tail.split('\n').length - 1,
            count,
            `tail_lines ${count} sent another number of lines`,
          );
          const all = await text(subject, { id: 'machined', tailLines: -1 });
          assert.ok(all.includes(tail), 'the lines are not consecutive in the log');
        }
      },
    ],
    'logs.no-history': [
      'tail_lines of 0, which is also the default, sends no history',
      async (subject) => {
        assert.notEqual(await text(subject, { id: 'machined', tailLines: 1 }), '');
        assert.equal(await text(subject, { id: 'machined' }), '');
        assert.equal(await text(subject, { id: 'machined', tailLines: 0 }), '');
      },
    ],
    'logs.everything': [
      'tail_lines below 0, or larger than the number of lines, sends everything',
      async (subject) => {
        const everything = (tailLines: number) => collectBytes(open(subject, { id: 'apid', tailLines }));
        let earlier = await everything(-1);
        assert.notEqual(earlier.length, 0, 'the log is empty');
        for (const tailLines of [-2_147_483_648, 2_147_483_647]) {
          const later = await everything(tailLines);
          // The calls are logged, too, and a full log drops old lines for them.
          assert.ok(
            isSameLog(earlier, later),
            `tail_lines ${tailLines} sent other lines than the previous call`,
          );
          earlier = later;
        }
      },
    ],
    'logs.follow': [
      'with follow, later lines are sent as well: 20 refused calls add at least 10 lines to the log of apid',
      async (subject) => {
        const following = open(subject, { id: 'apid', follow: true });
        const collected = whenAwaited(collectUntilQuiet(following, 1500));
        await new Promise((resolve) => setTimeout(resolve, 300));
        await logLines(subject, 20);
        const lines = Buffer.concat((await collected).map(({ bytes }) => bytes))
          .toString()
          .split('\n');
        assert.ok(lines.length - 1 >= 10, `${lines.length - 1} lines`);
      },
    ],
    'logs.follow-history': [
      'with follow and a tail, history and later lines join without gaps or duplicates',
      async (subject) => {
        const following = open(subject, { id: 'apid', follow: true, tailLines: 5 });
        const collected = whenAwaited(collectUntilQuiet(following, 1000));
        await new Promise((resolve) => setTimeout(resolve, 300));
        await logLines(subject, 5);
        const followed = Buffer.concat((await collected).map(({ bytes }) => bytes)).toString();
        const all = await text(subject, { id: 'apid', tailLines: -1 });
        assert.ok(followed.split('\n').length > 5, 'the history was not sent');
        assert.ok(all.includes(followed), 'the followed lines are not a part of the log');
      },
    ],
    'logs.unknown': [
      `an unknown log fails with UNKNOWN 'log "<id>" was not registered'`,
      (subject) =>
        refused(subject, { ...system, id: 'no-such' }, codes.unknown, /^log "no-such" was not registered$/),
    ],
    'logs.no-namespace': [
      `a request without a namespace fails with INVALID_ARGUMENT "namespace can't be empty"`,
      (subject) => refused(subject, { id: 'apid' }, codes.invalidArgument, /^namespace can't be empty$/),
    ],
    'logs.kubelet': [
      'kubelet needs no namespace, because its log is a system log',
      async ({ admin }) => {
        const call = collect(admin.stream(machine.logs, { id: 'kubelet' }));
        const failure = await call.then(
          () => undefined,
          (error) => error,
        );
        if (failure !== undefined) assert.match(failure.text, /^log "kubelet" was not registered$/);
      },
    ],
    'logs.system-driver': [
      'in the namespace system, the driver is ignored',
      async (subject) => {
        const driver = ContainerDriver.CRI;
        assert.notEqual(await text(subject, { id: 'apid', tailLines: 1, driver }), '');
      },
    ],
    'logs.driver': [
      `an unknown driver fails with INVALID_ARGUMENT 'unsupported driver "<d>"'`,
      (subject) =>
        refused(
          subject,
          { namespace: 'k8s.io', id: 'a', driver: 7 as ContainerDriver },
          codes.invalidArgument,
          /^unsupported driver "7"$/,
        ),
    ],
    'logs.cri-namespace': [
      'driver CRI with a namespace other than k8s.io fails with UNKNOWN',
      (subject) =>
        refused(
          subject,
          { namespace: 'other', id: 'a', driver: ContainerDriver.CRI },
          codes.unknown,
          /^CRI inspector is supported only for K8s namespace$/,
        ),
    ],
  }),
  ...checksOf(machine.logsContainers, {
    'log-ids.list': [
      'one message lists each log once, including machined and apid',
      async ({ admin }) => {
        const { ids } = only(await admin.unary(machine.logsContainers, {}));
        assert.equal(new Set(ids).size, ids.length);
        for (const id of ['apid', 'machined']) assert.ok(ids.includes(id), `there is no "${id}"`);
      },
    ],
    'log-ids.readable': [
      'every listed log can be read',
      async (subject) => {
        const { ids } = only(await subject.admin.unary(machine.logsContainers, {}));
        for (const id of ids) await text(subject, { id, tailLines: 1 });
      },
    ],
  }),
];
