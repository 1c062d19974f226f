import assert from 'node:assert/strict';
import type { DiskUsageInfo } from '@nodewright/contract/gen/machine/machine.ts';
import { checksOf } from '../check.ts';
import { findFolder } from '../subject/find-folder.ts';
import type { Subject } from '../subject/subject.ts';
import { machine } from '../wire/methods.ts';
import { collect } from './expect.ts';

type Request = Parameters<typeof machine.diskUsage.encode>[0];
const usage = ({ admin }: Subject, request: Request) => collect(admin.stream(machine.diskUsage, request));
const sizeOf = (entry: DiskUsageInfo | undefined) => entry?.size ?? -1n;

export const diskUsageChecks = checksOf(machine.diskUsage, {
  'usage.sum': [
    'the size of a folder is the sum of the apparent sizes of its content and its own',
    async (subject) => {
      const { path: folder } = await findFolder(subject);
      const files = await collect(subject.admin.stream(machine.list, { root: folder, recurse: true }));
      const expected = files.reduce((total, { size }) => total + size, 0n);
      assert.equal(sizeOf((await usage(subject, { paths: [folder] })).at(-1)), expected);
    },
  ],
  'usage.order': [
    'a folder is listed after its content, and the requested folder last',
    async (subject) => {
      const { path: folder } = await findFolder(subject);
      const entries = await usage(subject, { paths: [folder], all: true });
      const place = new Map(entries.map(({ name }, index) => [name, index]));
      for (const { name } of entries) {
        const parent = place.get(name.slice(0, name.lastIndexOf('/')));
        if (parent !== undefined)
          assert.ok((place.get(name) ?? -1) < parent, `${name} comes after its folder`);
      }
      assert.equal(entries.at(-1)?.name, folder);
    },
  ],
  'usage.all': [
    'files are listed only with all; the sizes of folders are the same with and without it',
    async (subject) => {
      const { path: folder } = await findFolder(subject);
      const folders = await usage(subject, { paths: [folder] });
      const everything = await usage(subject, { paths: [folder], all: true });
      assert.ok(everything.length > folders.length && folders.length > 1);
      const sizes = new Map(everything.map(({ name, size }) => [name, size]));
      for (const { name, size } of folders) assert.equal(sizes.get(name), size, name);
    },
  ],
  'usage.depth': [
    'a depth of N hides entries that are N or more levels down, but still counts them',
    async (subject) => {
      const { path: folder } = await findFolder(subject);
      const whole = await usage(subject, { paths: [folder] });
      const one = await usage(subject, { paths: [folder], recursionDepth: 1 });
      assert.equal(one.length, 1);
      assert.equal(sizeOf(one[0]), sizeOf(whole.at(-1)));
      const two = await usage(subject, { paths: [folder], recursionDepth: 2 });
      assert.ok(two.length > 1 && two.length <= whole.length);
      assert.ok(two.every(({ name }) => name.slice(folder.length).split('/').length <= 2));
    },
  ],
  'usage.threshold': [
    'a threshold above 0 hides smaller entries, and one below 0 hides entries larger than its absolute value',
    async (subject) => {
      const { path: folder } = await findFolder(subject);
      const limit = 1000n;
      const large = await usage(subject, { paths: [folder], all: true, threshold: limit });
      const small = await usage(subject, { paths: [folder], all: true, threshold: -limit });
      assert.ok(large.length > 0 && large.every(({ size }) => size >= limit));
      assert.ok(small.length > 0 && small.every(({ size }) => size <= limit));
    },
  ],
  'usage.first-path': [
    'a path that fails is an entry with an error, and only the first existing path is measured',
    async (subject) => {
      const { path: folder } = await findFolder(subject);
      const entries = await usage(subject, {
        paths: ['/no/such/place', folder, '/proc/sys/kernel'],
        recursionDepth: 1,
      });
      assert.equal(entries.length, 2, `${entries.length} entries`);
      assert.notEqual(entries[0]?.error, '');
      assert.deepEqual([entries[1]?.name, entries[1]?.error], [folder, '']);
    },
    60_000,
  ],
  'usage.kcore': [
    '/proc/kcore counts as 0 bytes',
    async (subject) => {
      const entries = await usage(subject, { paths: ['/proc/kcore'], all: true });
      for (const { error, name, size } of entries) {
        if (error === '') assert.deepEqual([name, size], ['/proc/kcore', 0n]);
      }
    },
  ],
});
