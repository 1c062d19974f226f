import assert from 'node:assert/strict';
import { checksOf } from '../check.ts';
import type { Subject } from '../subject/subject.ts';
import { machine } from '../wire/methods.ts';
import { collect, collectUntilQuiet, orSkip } from './expect.ts';

const facilities = [
  ...['kern', 'user', 'mail', 'daemon', 'auth', 'syslog', 'lpr', 'news', 'uucp', 'cron', 'authpriv'],
  ...['local0', 'local1', 'local2', 'local3', 'local4', 'local5', 'local6', 'local7'],
];
const priorities = ['emerg', 'alert', 'crit', 'err', 'warning', 'notice', 'info', 'debug'];
const head =
  /^([a-z0-9]+): ( *[a-z]+): \[(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d))\]: /;

async function records({ admin }: Subject): Promise<string[]> {
  const messages = await orSkip(collect(admin.stream(machine.dmesg, {})));
  return messages.map(({ bytes }) => Buffer.from(bytes).toString('utf8'));
}

export const dmesgChecks = checksOf(machine.dmesg, {
  'dmesg.form': [
    'each message has the form <facility>: <priority, right-aligned to 7 columns>: [<RFC 3339>]: <text>',
    async (subject) => {
      for (const record of await records(subject)) {
        const [, facility = '', priority = ''] = head.exec(record) ?? [];
        assert.ok(facilities.includes(facility), `invalid facility in "${record.slice(0, 80)}"`);
        assert.ok(
          priorities.includes(priority.trim()) && priority.length === 7,
          `invalid priority in "${record.slice(0, 80)}"`,
        );
      }
    },
  ],
  'dmesg.line-ends': [
    'the text ends with its newline, and its further lines start with a space',
    async (subject) => {
      for (const record of await records(subject)) {
        const [, ...further] = record.split('\n');
        assert.equal(further.pop(), '', `no newline at the end of "${record.slice(0, 80)}"`);
        const isRecord = (line: string) => head.test(line);
        assert.ok(!further.some(isRecord), 'one message has two records');
      }
    },
  ],
  'dmesg.times': [
    'times are between the start of the kernel and now',
    async (subject) => {
      const times = (await records(subject)).map((record) => Date.parse(head.exec(record)?.[3] ?? ''));
      const now = Date.now() + 60_000;
      assert.ok(times.every((time) => time > Date.parse('2015-01-01') && time < now));
    },
  ],
  'dmesg.ends': [
    'without follow the call ends with OK; with tail alone it returns nothing',
    async (subject) => {
      await records(subject);
      assert.equal((await collect(subject.admin.stream(machine.dmesg, { tail: true }))).length, 0);
    },
  ],
  'dmesg.follow-tail': [
    'with follow and tail, only new messages are sent',
    async (subject) => {
      const known = await records(subject);
      const stream = subject.admin.stream(machine.dmesg, { follow: true, tail: true });
      const fresh = (await collectUntilQuiet(stream, 500, 500)).map(({ bytes }) =>
        Buffer.from(bytes).toString('utf8'),
      );
      const texts = new Set(known.map((record) => record.replace(head, '')));
      assert.ok(fresh.length === 0 || !fresh.every((record) => texts.has(record.replace(head, ''))));
    },
  ],
  'dmesg.follow': [
    'with follow, the call sends the same messages first and then stays open',
    async (subject) => {
      const known = await records(subject);
      const followed = await collectUntilQuiet(subject.admin.stream(machine.dmesg, { follow: true }), 700);
      assert.ok(followed.length >= Math.min(known.length, 1));
      const text = (record: string) => record.replace(head, '');
      const last = known.at(-1);
      if (last !== undefined) {
        assert.match(last, head);
        const texts = followed.map(({ bytes }) => text(Buffer.from(bytes).toString('utf8')));
        assert.ok(
          texts.includes(text(last)),
          'follow does not send the last message that was sent without it',
        );
      }
    },
  ],
});
