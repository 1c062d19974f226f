import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runDocker } from '@nodewright/provision/engine';

const startTimeoutMs = 60_000;

/** A registry on loopback with given images. Disposing it stops it. */
export interface TestRegistry extends AsyncDisposable {
  readonly url: string;
  /** Pushes an image of this machine's engine under the name that an image of Docker Hub has. */
  fill(image: string, name: string): Promise<void>;
  /** The successful requests of clients, as `METHOD path`, in order. */
  served(): string[];
}

/** Starts Debian's docker-registry. */
export async function openTestRegistry(): Promise<TestRegistry> {
  const folder = mkdtempSync(join(tmpdir(), 'registry-'));
  const [config, log] = [join(folder, 'config.yml'), join(folder, 'log')];
  writeFileSync(
    config,
    JSON.stringify({
      version: 0.1,
      log: { level: 'info' },
      storage: { filesystem: { rootdirectory: join(folder, 'images') } },
      http: { addr: '127.0.0.1:0', secret: 'test' },
    }),
  );
  await using undo = new AsyncDisposableStack();
  undo.defer(() => rmSync(folder, { recursive: true }));
  const output = openSync(log, 'a');
  const child = spawn('docker-registry', ['serve', config], { stdio: ['ignore', output, output] });
  closeSync(output);
  const ended = once(child, 'close');
  undo.defer(async () => {
    child.kill();
    await ended;
  });
  const read = () => readFileSync(log, 'utf8');
  let address: string | undefined;
  for (const deadline = performance.now() + startTimeoutMs; address === undefined; await sleep(50)) {
    address = /listening on (127\.0\.0\.1:\d+)/.exec(read())?.[1];
    if (performance.now() > deadline) throw new Error(`docker-registry does not start: ${read()}`);
  }
  const disposal = undo.move();
  return {
    url: `http://${address}`,
    async fill(image, name) {
      const there = `${address}/${name}`;
      await runDocker(['tag', image, there]);
      try {
        await runDocker(['push', '--quiet', there]);
      } finally {
        await runDocker(['rmi', there]);
      }
    },
    served: () =>
      [...read().matchAll(/"([A-Z]+ \/v2\/\S*) HTTP\/[\d.]+" 200 /g)].map(([, request]) => request ?? ''),
    [Symbol.asyncDispose]: () => disposal[Symbol.asyncDispose](),
  };
}
