import assert from 'node:assert/strict';
import type { Time } from '@nodewright/contract/gen/time/time.ts';
import { checksOf } from '../check.ts';
import type { Subject } from '../subject/subject.ts';
import { codes } from '../wire/call-failure.ts';
import { time } from '../wire/methods.ts';
import { expectFailure, only, unixMs } from './expect.ts';

/** The clock of the testing machine may differ from the node's. */
const clockToleranceMs = 10 * 60_000;

function assertTimes({ server, localtime, remotetime }: Time): void {
  assert.notEqual(server, '');
  const [local, remote] = [unixMs(localtime), unixMs(remotetime)];
  assert.ok(Math.abs(local - Date.now()) < clockToleranceMs, `localtime is ${local}`);
  assert.ok(Math.abs(remote - Date.now()) < clockToleranceMs, `remotetime is ${remote}`);
}

const ask = async ({ admin }: Subject) => only(await admin.unary(time.time, {}));

export const timeChecks = [
  ...checksOf(time.time, {
    'time.both': [
      'the reply has the time of the server and of the node at the same moment, and names the server',
      async (subject) => assertTimes(await ask(subject)),
    ],
  }),
  ...checksOf(time.timeCheck, {
    'time-check.server': [
      'the server named in the request is the one that answers',
      async (subject) => {
        const { server } = await ask(subject);
        const answer = only(await subject.admin.unary(time.timeCheck, { server }));
        assertTimes(answer);
        assert.equal(answer.server, server);
      },
    ],
    'time-check.empty': [
      'an empty server fails with INVALID_ARGUMENT "ntp server is required"',
      async ({ admin }) => {
        const call = admin.unary(time.timeCheck, { server: '' });
        await expectFailure(call, codes.invalidArgument, /^ntp server is required$/);
      },
    ],
    'time-check.dead': [
      'a server that does not exist, or is not a valid name, fails with a status before clients time out',
      async ({ admin }) => {
        for (const server of ['127.0.0.1:1', 'no-such-server.invalid', '!"#']) {
          const call = admin.unary(time.timeCheck, { server });
          await expectFailure(call, [
            codes.unknown,
            codes.invalidArgument,
            codes.deadlineExceeded,
            codes.unavailable,
            codes.notFound,
          ]);
        }
      },
      40_000,
    ],
  }),
];
