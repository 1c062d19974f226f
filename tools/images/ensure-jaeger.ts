import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cacheFolder, nativeArchitecture, sharedCache } from '@nodewright/build';
import { runDocker, tryDocker } from '@nodewright/provision/engine';
import { buildJaeger, jaegerVersion } from './build-jaeger.ts';

/** The public name of Jaeger's image; compose.yaml says the same. */
export const jaegerImage = `jaegertracing/jaeger:${jaegerVersion}`;

export interface EnsureJaegerInit {
  readonly checkout: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly note: (line: string) => void;
}

/**
 * Makes sure that Jaeger's image exists: present, pulled, or built under its public name when no registry
 * answers.
 */
export async function ensureJaeger({ checkout, environment, note }: EnsureJaegerInit): Promise<void> {
  const found = await tryDocker(['image', 'inspect', '--format', '{{.Id}}', jaegerImage]);
  if (found.code === 0) return;
  const pulled = await tryDocker(['pull', '--quiet', jaegerImage]);
  if (pulled.code === 0) return note(`pulled ${jaegerImage}`);

  let program: string;
  try {
    program = ensureJaegerProgram(environment, note);
  } catch (error) {
    throw new Error(
      `${jaegerImage} cannot be pulled and not be built: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  const context = mkdtempSync(join(tmpdir(), 'jaeger-'));
  try {
    copyFileSync(join(checkout, 'images', 'jaeger', 'Dockerfile'), join(context, 'Dockerfile'));
    copyFileSync(program, join(context, 'jaeger-linux'));
    await runDocker(['build', '--tag', jaegerImage, context]);
  } finally {
    rmSync(context, { recursive: true });
  }
  note(`made ${jaegerImage} from its Go module, because no registry answers`);
}

const programPath = join('jaeger', jaegerVersion, nativeArchitecture(), 'jaeger-linux');

/**
 * The path of Jaeger as a program, which is built unless it is there. It has the query API and no page.
 *
 * @throws Error with one line when there is no Go, or the build fails
 */
export function ensureJaegerProgram(environment: NodeJS.ProcessEnv, note: (line: string) => void): string {
  return findProgram() ?? buildJaeger(cacheFolder(environment), programPath, note);
}

/** Let every user read what root built. */
function findProgram(): string | undefined {
  const path = join(sharedCache, programPath);
  return existsSync(path) ? path : undefined;
}
