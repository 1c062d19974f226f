import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** Runs a program of this folder as a child process that exchanges messages with its parent. */
export interface Child extends AsyncDisposable {
  readonly pid: number;
  send(message: object): void;
  /** The next message. Rejects when the program exits before. */
  receive<T>(): Promise<T>;
  /** Resolves when the program has exited. */
  readonly ended: Promise<unknown>;
}

export function openChild(program: string): Child {
  const child: ChildProcess = fork(join(import.meta.dirname, program), {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit');
  return {
    pid: child.pid ?? 0,
    ended,
    send: (message) => child.send(message),
    async receive<T>() {
      const lost = ended.then(([code, signal]): never => {
        throw new Error(`${program} ended (${signal ?? code})`);
      });
      // The program may exit after its message arrived.
      lost.catch(() => {});
      const [message] = await Promise.race([once(child, 'message'), lost]);
      return message as T;
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await ended;
    },
  };
}
