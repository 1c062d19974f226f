import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** A replacement for machined that answers with a long stream. */
export interface StreamBackend extends AsyncDisposable {
  readonly socket: string;
}

export async function startStreamBackend(
  socket: string,
  totalBytes: number,
  messageBytes: number,
): Promise<StreamBackend> {
  const program = join(import.meta.dirname, 'stream-backend.ts');
  const child = fork(program, [socket, String(totalBytes), String(messageBytes)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const exited = once(child, 'exit');
  const [first] = await Promise.race([once(child, 'message'), exited]);
  if (first !== 'listening') throw new Error('the stand-in for machined does not start');
  return {
    socket,
    async [Symbol.asyncDispose]() {
      child.disconnect();
      await exited;
    },
  };
}
