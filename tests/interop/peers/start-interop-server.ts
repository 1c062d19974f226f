import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { ensureOutsideProgram } from '../go-programs.ts';

/** grpc-go's test server on a unix socket. Resolves when it listens. */
export async function startInteropServer(path: string): Promise<AsyncDisposable> {
  const child = spawn(ensureOutsideProgram('server'), [path], { stdio: ['ignore', 'ignore', 'pipe'] });
  const exited = once(child, 'exit');
  let said = '';
  child.stderr.setEncoding('utf8');
  for await (const text of child.stderr.iterator({ destroyOnReturn: false })) {
    said += text;
    if (said.includes('listens')) break;
  }
  if (!said.includes('listens')) throw new Error(`the test server did not start: ${said}`);
  child.stderr.resume();
  return {
    async [Symbol.asyncDispose]() {
      child.kill();
      await exited;
    },
  };
}
