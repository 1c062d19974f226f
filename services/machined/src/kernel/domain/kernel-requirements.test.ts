import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kernelArgumentProblem } from './kernel-requirements.ts';

const problem = (commandLine: string, isSecureBootOn = false) =>
  kernelArgumentProblem({ commandLine, isSecureBootOn }) ?? '';

test('a machine runs with the arguments of the image', () => {
  assert.equal(problem('quiet slab_nomerge= pti=on consoleblank=0\n'), '');
});

test('a machine does not run without an argument that protects its kernel, or with another value', () => {
  assert.match(problem('slab_nomerge= quiet\n'), /^the kernel was started without pti=on, /);
  assert.match(problem('slab_nomerge pti=off pti=on'), / without pti=on, /);
  assert.match(problem('slab_nomerge=no'), / without slab_nomerge= and pti=on, /);
});

test('with Secure Boot a machine does not run with words that were added to the signed ones, except its address', () => {
  const signed = 'slab_nomerge= pti=on nodewright.roothash=00';
  assert.equal(problem(signed, true), '');
  assert.equal(problem(`${signed} ip=10.0.0.2::10.0.0.1:255.255.255.0::eth0:off`, true), '');
  assert.match(problem(`${signed} ip=10.0.0.2 module.sig_enforce=0`, true), /remove module\.sig_enforce=0$/);
  assert.equal(problem(`${signed} module.sig_enforce=0`), '');
  assert.match(problem(`${signed} nodewright.roothash=11`, true), /remove nodewright\.roothash=11$/);
});
