import { posix } from 'node:path';
import type { ProcessInfo } from '@nodewright/contract/gen/machine/machine.ts';

/**
 * The command line to print. It shows the full path of a program that was started by its bare name, and a space for
 * every byte outside printable ASCII. Source: Talos v1.14: processes.
 */
export function processCommandLine({ command, executable, args }: ProcessInfo): string {
  const [first = ''] = args.split(' ', 1);
  let text = args;
  if (executable === '') text = command;
  else if (first !== '' && first === posix.basename(executable)) text = executable + args.slice(first.length);
  const printable = Buffer.from(text).map((byte) => (byte < 32 || byte > 126 ? 32 : byte));
  return Buffer.from(printable).toString('latin1');
}
