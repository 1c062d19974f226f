import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const checkout = join(import.meta.dirname, '..', '..');

/**
 * A separate engine next to the machine's, without images and without a network. Disposing it stops and
 * removes it.
 */
export interface TestEngine extends AsyncDisposable {
  /** DOCKER_HOST for clients of this engine. */
  readonly environment: NodeJS.ProcessEnv;
}

/** Needs root. The engine first asks the registry at `registryMirror` for images of Docker Hub. */
export async function openTestEngine(registryMirror: string): Promise<TestEngine> {
  const folder = mkdtempSync(join(tmpdir(), 'engine-'));
  const environment = { ...process.env, DOCKER_HOST: `unix://${join(folder, 'docker.sock')}` };
  const engine = (...args: string[]) =>
    promisify(execFile)(
      process.execPath,
      [join(checkout, 'tools', 'engine.ts'), ...args, '--folder', folder],
      { env: environment },
    );
  await using undo = new AsyncDisposableStack();
  undo.defer(() => rmSync(folder, { recursive: true }));
  undo.defer(async () => {
    await engine('stop');
  });
  await engine('start', '--without-network', '--registry-mirror', registryMirror);
  const disposal = undo.move();
  return { environment, [Symbol.asyncDispose]: () => disposal[Symbol.asyncDispose]() };
}
