import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diskProblem } from './kubernetes-disk.ts';

const mebibyte = 1024 ** 2;
const shape = { controlPlanes: 3, workers: 1 };

test('diskProblem() accepts a cluster that fits, and names what is needed and what is there', () => {
  assert.equal(diskProblem(shape, 3450 * mebibyte), undefined);
  assert.match(
    diskProblem(shape, 3449 * mebibyte) ?? '',
    /^Kubernetes on 3 control planes and 1 worker needs about 3450 MiB of disk space .*, and 3449 MiB are free:/,
  );
});
