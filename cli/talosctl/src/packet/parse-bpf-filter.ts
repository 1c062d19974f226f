import type { BPFInstruction } from '@nodewright/contract/gen/machine/machine.ts';
import { InvalidArgumentError } from 'commander';

const number = '(0x[0-9a-fA-F]{1,8}|\\d{1,10})';
const instructionPattern = new RegExp(
  `^\\{\\s*${[number, number, number, number].join('\\s*,\\s*')}\\s*\\},?$`,
);
const largest = { op: 0xffff, jt: 0xff, jf: 0xff, k: 0xffff_ffff };

/**
 * Reads the output of `tcpdump -dd`, one instruction per line, such as `{ 0x28, 0, 0, 0x0000000c },`, as the
 * value of an option. Source: Talos v1.14: pcap.
 */
export function parseBpfFilter(text: string): BPFInstruction[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map(parseInstruction);
}

function parseInstruction(line: string): BPFInstruction {
  const [op = 0, jt = 0, jf = 0, k = 0] = (instructionPattern.exec(line) ?? []).slice(1).map(Number);
  const instruction = { op, jt, jf, k };
  const isWhole = instructionPattern.test(line);
  const fits = Object.entries(largest).every(
    ([field, most]) => instruction[field as keyof typeof largest] <= most,
  );
  if (isWhole && fits) return instruction;
  throw new InvalidArgumentError(
    `${JSON.stringify(line.slice(0, 60))} is no instruction: it must be the text that "tcpdump -dd" prints for an expression.`,
  );
}
