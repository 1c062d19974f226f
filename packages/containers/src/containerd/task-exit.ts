// A task that has ended keeps its shim process, which knows the exit, until the task is deleted. The driver
// deletes it soon and stores the exit with the container, so that the exit is known even if the shim dies.
import type { Any } from '@nodewright/contract/gen/google/protobuf/any.ts';
import type { ExitStatus } from '../container-runtime.ts';

/** Label of containers that this driver created: other clients delete their tasks themselves. */
export const exitExtension = 'nodewright.exit';
const exitType = 'nodewright/exit';

/** Labels without an exit: the container has never ended, or was started again. */
export function exitExtensionFrom(exit: ExitStatus | undefined): Any {
  const value = Buffer.from(exit === undefined ? '' : JSON.stringify(exit));
  return { typeUrl: exitType, value };
}

/** The exit of the last task, if it was stored. */
export function exitFrom(extensions: Readonly<Record<string, Any>>): ExitStatus | undefined {
  const value = extensions[exitExtension]?.value;
  if (value === undefined || value.length === 0) return undefined;
  const { code, atMs } = JSON.parse(Buffer.from(value).toString()) as ExitStatus;
  return { code, atMs };
}

export function isOurs(extensions: Readonly<Record<string, Any>>): boolean {
  return exitExtension in extensions;
}
