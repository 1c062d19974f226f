import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createKernelHostname } from './kernel-hostname.ts';

test('the kernel gets the name and the domain of the node, and loses a domain that is gone', async () => {
  const kernel = new Map<string, string>();
  const names = createKernelHostname((path, value) => void kernel.set(path, value));
  await names.set({ hostname: 'node01', domainname: 'lab.example' });
  assert.deepEqual([...kernel.values()], ['node01', 'lab.example']);
  await names.set({ hostname: 'node02', domainname: '' });
  assert.deepEqual(Object.fromEntries(kernel), {
    '/proc/sys/kernel/hostname': 'node02',
    '/proc/sys/kernel/domainname': '(none)',
  });
});
