import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kernelArgumentProblem } from './kernel-requirements.ts';

test('a machine runs with the arguments of the image', () => {
  assert.equal(kernelArgumentProblem('quiet slab_nomerge= pti=on consoleblank=0\n'), undefined);
});

test('a machine does not run without an argument that protects its kernel, or with another value', () => {
  assert.match(
    kernelArgumentProblem('slab_nomerge= quiet\n') ?? '',
    /^the kernel was started without pti=on, /,
  );
  assert.match(kernelArgumentProblem('slab_nomerge pti=off pti=on') ?? '', / without pti=on, /);
  assert.match(kernelArgumentProblem('slab_nomerge=no') ?? '', / without slab_nomerge= and pti=on, /);
});
