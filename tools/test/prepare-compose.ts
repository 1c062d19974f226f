import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { askEngine, tryDocker } from '@nodewright/provision/engine';
import { imageServices } from '../images/build-images.ts';

/** Whether the tests with containers can run, or why not. */
export type ComposeReadiness =
  | { readonly state: 'ready'; readonly removeImages: () => Promise<void> }
  | { readonly state: 'missing'; readonly reason: string };

/**
 * Prepares the tests with containers when an engine answers: builds the suite's own images under `tag`, and
 * Jaeger's image, which may take minutes.
 */
export async function prepareCompose(checkout: string, tag: string): Promise<ComposeReadiness> {
  const engine = await askEngine();
  if (engine.state !== 'ready') return { state: 'missing', reason: engine.advice };
  const images = async (...args: string[]) => {
    const tool = spawn(process.execPath, [join(checkout, 'tools', 'images.ts'), ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = once(tool, 'close') as Promise<[number | null]>;
    const [, said, [code]] = await Promise.all([text(tool.stdout), text(tool.stderr), ended]);
    if (code !== 0) throw new Error(said.trim().split('\n').at(-1) ?? 'images: failed');
  };
  process.stdout.write(
    'test: making the images for the tests with containers; Jaeger may take minutes, once\n',
  );
  try {
    await images('--jaeger', '--etcd');
    await images('--tag', tag);
    const names = imageServices.map((service) => `nodewright/${service}:${tag}`);
    const removeImages = async () => void (await tryDocker(['rmi', '--force', ...names]));
    return { state: 'ready', removeImages };
  } catch (error) {
    return { state: 'missing', reason: error instanceof Error ? error.message : String(error) };
  }
}
