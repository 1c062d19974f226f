import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@nodewright/fault';
import fc from 'fast-check';
import { checkPacketFilter } from './check-packet-filter.ts';

const returnAll = { op: 0x06, jt: 0, jf: 0, k: 0xffff_ffff };
const load = { op: 0x28, jt: 0, jf: 0, k: 12 };
const jump = (jt: number, jf: number) => ({ op: 0x15, jt, jf, k: 0x800 });
const jumpAlways = (k: number) => ({ op: 0x05, jt: 0, jf: 0, k });

test('checkPacketFilter() accepts programs that end with a return, the empty one, and the longest', () => {
  checkPacketFilter([]);
  checkPacketFilter([returnAll]);
  checkPacketFilter([load, jump(0, 1), returnAll, returnAll]);
  checkPacketFilter([jumpAlways(1), returnAll, returnAll]);
  checkPacketFilter([...Array(4095).fill(load), returnAll]);
});

test('checkPacketFilter() names the invalid instruction, and why', () => {
  const rows: [Parameters<typeof checkPacketFilter>[0], string][] = [
    [Array(4097).fill(returnAll), '4097 instructions are more than the 4096 that the kernel takes'],
    [[load], 'the last instruction, 0, does not return'],
    [[load, jump(0, 1), returnAll], 'instruction 1 jumps over 1 instructions, past the end of the program'],
    [
      [jumpAlways(4_294_967_295), returnAll],
      'instruction 0 jumps over 4294967295 instructions, past the end of the program',
    ],
    [[jump(256, 0), returnAll], 'instruction 0: jt 256 is larger than 255'],
    [[jump(0, 300), returnAll], 'instruction 0: jf 300 is larger than 255'],
    [[{ ...load, op: 65_536 }, returnAll], 'instruction 0: op 65536 is larger than 65535'],
  ];
  for (const [program, text] of rows) {
    assert.throws(
      () => checkPacketFilter(program),
      (error) =>
        error instanceof Fault &&
        error.kind === 'invalid-argument' &&
        error.message === `bpf filter: ${text}`,
    );
  }
});

test('checkPacketFilter() permits no jump out of a program', () => {
  const word = fc.nat(0x1_0000);
  const instruction = fc.record({ op: word, jt: fc.nat(300), jf: fc.nat(300), k: fc.nat(0xffff_ffff) });
  fc.assert(
    fc.property(fc.array(instruction, { maxLength: 40 }), (program) => {
      try {
        checkPacketFilter(program);
      } catch (error) {
        assert.ok(error instanceof Fault && error.kind === 'invalid-argument');
        return;
      }
      for (const [index, { op, jt, jf, k }] of program.entries()) {
        if ((op & 7) !== 5) continue;
        const steps = (op & 0xf0) === 0 ? [k] : [jt, jf];
        assert.ok(steps.every((step) => index + 1 + step < program.length));
      }
    }),
  );
});
