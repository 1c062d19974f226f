import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@nodewright/testkit';
import { canConnect } from '../time-to-listen.ts';

/** A gateway's process. */
export interface GatewayProcess extends AsyncDisposable {
  readonly pid: number;
}

export interface PeerInit {
  readonly name: string;
  readonly path: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Where it will listen. */
  readonly listen: { readonly host: string; readonly port: number };
}

const startTimeoutMs = 5000;

/** Starts a program in apid's place and waits until it listens. Throws with its first line when it ends before. */
export async function startPeer({
  name,
  path,
  args,
  environment,
  listen,
}: PeerInit): Promise<GatewayProcess> {
  const child = spawn(path, args, {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  await once(child, 'spawn');
  const exited = once(child, 'exit');
  const gateway: GatewayProcess = {
    pid: child.pid ?? 0,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await exited;
    },
  };
  try {
    const listening = eventually(() => canConnect(listen), {
      what: `listening ${name}`,
      timeoutMs: startTimeoutMs,
    });
    // One of the two promises still has to reject; nothing else handles that.
    listening.catch(() => {});
    await Promise.race([
      listening,
      exited.then(() => {
        throw new Error(`${name} ended: ${said.trim().split('\n')[0]}`);
      }),
    ]);
    return gateway;
  } catch (error) {
    await gateway[Symbol.asyncDispose]();
    throw error;
  }
}

/** A function that writes a file which only the owner reads into `folder`, and returns its path. */
export function secretWriter(folder: string): (name: string, text: string) => string {
  return (name, text) => {
    const path = join(folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
}
