import { accessSync, constants, copyFileSync, linkSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runDocker, tryDocker } from '../../packages/provision/src/docker/run-docker.ts';
import { nativeArchitecture } from './architecture.ts';
import { buildJaeger, jaegerVersion } from './build-jaeger.ts';

/** The public name of Jaeger's image; compose.yaml says the same. */
export const jaegerImage = `jaegertracing/jaeger:${jaegerVersion}`;

export interface EnsureJaegerInit {
  readonly checkout: string;
  readonly epochSeconds: number;
  readonly note: (line: string) => void;
}

/** Makes sure that Jaeger's image is there: found, pulled, or made under its public name where no registry answers. */
export async function ensureJaeger({ checkout, epochSeconds, note }: EnsureJaegerInit): Promise<void> {
  const found = await tryDocker(['image', 'inspect', '--format', '{{.Id}}', jaegerImage]);
  if (found.code === 0) return;
  const pulled = await tryDocker(['pull', '--quiet', jaegerImage]);
  if (pulled.code === 0) return note(`pulled ${jaegerImage}`);

  const architecture = nativeArchitecture();
  const folder = join(cacheFolder(checkout), 'jaeger', jaegerVersion, architecture);
  let program: string;
  try {
    program = buildJaeger(folder, note);
  } catch (error) {
    throw new Error(
      `${jaegerImage} cannot be pulled and not be built: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  const context = mkdtempSync(join(dirname(program), 'context-'));
  try {
    copyFileSync(join(checkout, 'images', 'jaeger', 'Dockerfile'), join(context, 'Dockerfile'));
    linkSync(program, join(context, 'jaeger-linux'));
    await runDocker(['build', '--tag', jaegerImage, context]);
  } finally {
    rmSync(context, { recursive: true });
  }
  note(`made ${jaegerImage} from its Go module, because no registry answers`);
}

/** Outlives the checkout where it may. */
function cacheFolder(checkout: string): string {
  const shared = '/var/cache/nodewright';
  try {
    mkdirSync(shared, { recursive: true });
    accessSync(shared, constants.W_OK);
    return shared;
  } catch {
    return join(checkout, '_out', 'cache');
  }
}
