// A task that has ended keeps a program of its own running, which knows how it ended, until it is deleted. It is
// deleted soon, and how it ended is kept with the container: then it is also known when that program has died.
import type { Any } from '@nodewright/contract/gen/google/protobuf/any.ts';
import type { ExitStatus } from '../container-runtime.ts';

/** Marks containers that this driver has made: others delete their tasks themselves. */
export const exitExtension = 'nodewright.exit';
const exitType = 'nodewright/exit';

/** Without an exit: the container has never ended, or is started again. */
export function exitExtensionFrom(exit: ExitStatus | undefined): Any {
  const value = Buffer.from(exit === undefined ? '' : JSON.stringify(exit));
  return { typeUrl: exitType, value };
}

/** How the last task ended, where that is kept. */
export function exitFrom(extensions: Readonly<Record<string, Any>>): ExitStatus | undefined {
  const value = extensions[exitExtension]?.value;
  if (value === undefined || value.length === 0) return undefined;
  const { code, atMs } = JSON.parse(Buffer.from(value).toString()) as ExitStatus;
  return { code, atMs };
}

export function isOurs(extensions: Readonly<Record<string, Any>>): boolean {
  return exitExtension in extensions;
}
