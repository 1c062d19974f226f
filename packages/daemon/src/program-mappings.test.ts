import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unchangedProgramMappings } from './program-mappings.ts';

/** Two of the twenty lines that the kernel prints for each mapping. */
const mapping = (heading: string, anonymousKb = 0, swapKb = 0) =>
  `${heading}\nSize:   4280 kB\nAnonymous:   ${anonymousKb} kB\nSwap:   ${swapKb} kB\nVmFlags: rd mr mw me sd\n`;

const constants = mapping('00400000-0082e000 r--p 00000000 fe:00 5330246     /usr/bin/node');
const code = mapping('0082e000-03489000 r-xp 0042e000 fe:00 5330246     /usr/bin/node');

test('the code and the constants of the program are unchanged', () => {
  assert.deepEqual(unchangedProgramMappings(constants + code, '/usr/bin/node'), [
    { start: 0x400000n, length: 0x42e000n },
    { start: 0x82e000n, length: 0x2c5b000n },
  ]);
});

const others = {
  'a mapping that the loader has changed': mapping(
    '072a7000-072dc000 r--p 06ea7000 fe:00 5330246  /usr/bin/node',
    212,
  ),
  'a mapping of which a changed page is in swap': mapping(
    '072a7000-072dc000 r--p 06ea7000 fe:00 5330246  /usr/bin/node',
    0,
    4,
  ),
  'a mapping that can be written to': mapping('072dc000-07308000 rw-p 06edc000 fe:00 5330246  /usr/bin/node'),
  'a mapping that is shared': mapping('072dc000-07308000 r--s 06edc000 fe:00 5330246  /usr/bin/node'),
  'a library': mapping('7fc9ddd80000-7fc9ddf95000 r-xp 00000000 fe:00 5330247  /usr/lib/libc.so.6'),
  'a program that was replaced': mapping(
    '00400000-0082e000 r--p 00000000 fe:00 5330246  /usr/bin/node (deleted)',
  ),
  'anonymous memory': mapping('7fc9ddd80000-7fc9ddf95000 rw-p 00000000 00:00 0 '),
  'a mapping whose changes the kernel does not tell':
    '0082e000-03489000 r-xp 0042e000 fe:00 5330246  /usr/bin/node\nSwap: 0 kB\n',
};
for (const [name, text] of Object.entries(others))
  test(`${name} is left alone`, () => {
    assert.deepEqual(unchangedProgramMappings(text, '/usr/bin/node'), []);
    // It does not change what is said about its neighbours.
    assert.equal(unchangedProgramMappings(constants + text + code, '/usr/bin/node').length, 2);
    assert.equal(unchangedProgramMappings(text + text, '/usr/bin/node').length, 0);
  });

test('text that is no list of mappings has none', () => {
  for (const text of ['', '\n\n', 'Anonymous: 0 kB\nSwap: 0 kB\n', '00400000-0082e000 r--p'])
    assert.deepEqual(unchangedProgramMappings(text, '/usr/bin/node'), []);
});
