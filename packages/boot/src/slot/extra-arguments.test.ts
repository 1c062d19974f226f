import assert from 'node:assert/strict';
import { test } from 'node:test';
import { extraArgumentLimits, extraArgumentProblem, withExtraArguments } from './extra-arguments.ts';

const hash = 'ab'.repeat(32);
const own = `nodewright.slot=A nodewright.extensions= nodewright.roothash=${hash}`;
const line = `console=tty0 console=ttyS0 slab_nomerge= pti=on panic=10 ${own}`;

test('withExtraArguments() adds words before those that name the image', () => {
  assert.equal(
    withExtraArguments(`${line}\n`, ['talos.dashboard.disabled=1', 'panic=30']),
    `console=tty0 console=ttyS0 slab_nomerge= pti=on panic=10 talos.dashboard.disabled=1 panic=30 ${own}`,
  );
  assert.equal(withExtraArguments(line, []), line);
});

test('withExtraArguments() removes what a minus names, and a console replaces those of the image', () => {
  assert.equal(withExtraArguments(line, ['-panic']), line.replace(' panic=10', ''));
  assert.equal(
    withExtraArguments(line, ['console=ttyS1,115200']),
    `slab_nomerge= pti=on panic=10 console=ttyS1,115200 ${own}`,
  );
});

test('extraArgumentProblem() refuses words that belong to the image, or that protect the machine', () => {
  const refused = [
    `nodewright.roothash=${'cd'.repeat(32)}`,
    'nodewright.slot=B',
    '-nodewright.roothash',
    'slab_nomerge',
    'slab_nomerge=1',
    'slab-nomerge=1',
    '-slab_nomerge',
    '-pti',
    'pti=off',
    'nopti',
    'module.sig_enforce=0',
    'module.sig-enforce=0',
    'init=/bin/sh',
    '-panic',
    'panic=0',
    'panic=',
    'panic',
    'panic=00',
    'panic=1x',
    'rdinit=/x',
    'a b',
    'a\nb',
    'a"b',
    "a'b",
    '$x',
    'x;y',
    'x{y',
    '\\',
    '',
    '-',
    '=x',
    'ä=1',
    `a=${'x'.repeat(extraArgumentLimits.wordCharacters)}`,
  ];
  for (const word of refused)
    assert.match(extraArgumentProblem(line, ['quiet', word]) ?? '', /^the extra kernel argument /, word);
  assert.equal(
    extraArgumentProblem(line, ['quiet', 'ip=dhcp', 'hugepages=64', 'panic=20', 'panic=-1', 'a.b-c=[1]']),
    undefined,
  );
});

test('extraArgumentProblem() refuses more than the kernel takes', () => {
  const many = Array.from({ length: extraArgumentLimits.words + 1 }, (_, index) => `a${index}`);
  assert.match(extraArgumentProblem(line, many) ?? '', /65 extra kernel arguments, more than 64/);
  const long = Array.from({ length: 5 }, (_, index) => `a${index}=${'x'.repeat(400)}`);
  assert.match(extraArgumentProblem(line, long) ?? '', /would have \d+ characters/);
});
