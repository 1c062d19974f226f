import type { BPFInstruction } from '@nodewright/contract/gen/machine/machine.ts';
import { Fault } from '@nodewright/fault';

/** Maximum number of instructions of the kernel. */
const maxInstructions = 4096;
const maxOperation = 0xffff;
const maxJump = 0xff;
const maxConstant = 0xffff_ffff;

/** The bits for the class of an instruction, and the two classes that decide where a program continues. */
const classMask = 0x07;
const jumpClass = 0x05;
const returnClass = 0x06;
const operationMask = 0xf0;
const jumpAlways = 0x00;

/**
 * Checks the form of a classic BPF program: its length, the range of its numbers, no jump past its end, and a
 * return at the end. The kernel checks the instructions themselves.
 *
 * @throws Fault `invalid-argument` that names the instruction, counted from 0.
 */
export function checkPacketFilter(program: readonly BPFInstruction[]): void {
  const refuse = (what: string): never => {
    throw new Fault('invalid-argument', `bpf filter: ${what}`);
  };
  if (program.length > maxInstructions) {
    refuse(`${program.length} instructions are more than the ${maxInstructions} that the kernel takes`);
  }
  for (const [index, { op, jt, jf, k }] of program.entries()) {
    if (op > maxOperation) refuse(`instruction ${index}: op ${op} is larger than ${maxOperation}`);
    if (jt > maxJump) refuse(`instruction ${index}: jt ${jt} is larger than ${maxJump}`);
    if (jf > maxJump) refuse(`instruction ${index}: jf ${jf} is larger than ${maxJump}`);
    if (k > maxConstant) refuse(`instruction ${index}: k ${k} is larger than ${maxConstant}`);
    if ((op & classMask) !== jumpClass) continue;
    const steps = (op & operationMask) === jumpAlways ? [k] : [jt, jf];
    for (const step of steps) {
      if (index + 1 + step >= program.length) {
        refuse(`instruction ${index} jumps over ${step} instructions, past the end of the program`);
      }
    }
  }
  const last = program.at(-1);
  if (last !== undefined && (last.op & classMask) !== returnClass) {
    refuse(`the last instruction, ${program.length - 1}, does not return`);
  }
}
