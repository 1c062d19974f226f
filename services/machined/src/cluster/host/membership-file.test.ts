import assert from 'node:assert/strict';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import { openMembershipFile } from './membership-file.ts';

const never = new AbortController().signal;
const text = (...hostnames: string[]) =>
  JSON.stringify({ members: hostnames.map((hostname) => ({ hostname, addresses: ['127.0.0.9'] })) });

test('openMembershipFile() follows its file when it is missing, created, replaced, invalid and repaired', {
  timeout: 60_000,
}, async () => {
  const root = await mkdtemp(join(tmpdir(), 'members-'));
  const reports: string[] = [];
  const { promise: reported, resolve } = Promise.withResolvers<void>();
  const log = createLogger({
    name: 'test',
    telemetry: noTelemetry,
    destination: {
      write(line) {
        reports.push((JSON.parse(line) as { msg: string }).msg);
        resolve();
      },
    },
  });
  const path = join(root, 'members.json');
  const replace = async (content: string) => {
    await writeFile(`${path}.new`, content);
    await rename(`${path}.new`, path);
  };
  try {
    await using membership = await openMembershipFile(path, log);
    const names = () => membership.current().map(({ hostname }) => hostname);
    assert.deepEqual(names(), []);
    for (const hostnames of [['node01'], ['node01', 'node02']]) {
      const change = membership.nextChange(never);
      await replace(text(...hostnames));
      await change;
      assert.deepEqual(names(), hostnames);
    }
    await replace('{ "members": [');
    await reported;
    assert.deepEqual([names(), reports], [['node01', 'node02'], ['membership cannot be read']]);
    const change = membership.nextChange(never);
    await replace(text('node03'));
    await change;
    assert.deepEqual(names(), ['node03']);
  } finally {
    await rm(root, { recursive: true });
  }
});
