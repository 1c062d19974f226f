import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';

/** The checkout that contains the tests. */
export const checkout = resolve(import.meta.dirname, '../../..');

export interface ToolResult {
  readonly code: number;
  /** Standard output followed by standard error. */
  readonly output: string;
}

async function run(program: string, args: readonly string[], folder: string): Promise<ToolResult> {
  const env = { ...process.env, BUF_CACHE_DIR: join(checkout, '_out', 'buf') };
  const child = spawn(program, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { code, output: stdout + stderr };
}

/** Runs the project's buf. */
export function runBuf(args: readonly string[], folder = checkout): Promise<ToolResult> {
  return run(join(checkout, 'node_modules/.bin/buf'), args, folder);
}

/** Runs `node tools/generate.ts` on the checkout at `root`. */
export function runGenerate(args: readonly string[], root = checkout): Promise<ToolResult> {
  return run(process.execPath, [join(checkout, 'tools/generate.ts'), '--root', root, ...args], checkout);
}

export interface ContractsCopy extends AsyncDisposable {
  readonly root: string;
}

/** Copies the contracts, their configuration and the given other paths to a folder that a test may change. */
export async function copyContracts(...otherPaths: string[]): Promise<ContractsCopy> {
  const root = await mkdtemp(join(tmpdir(), 'contracts-'));
  for (const path of ['proto', 'buf.yaml', 'buf.gen.yaml', ...otherPaths]) {
    await cp(join(checkout, path), join(root, path), { recursive: true });
  }
  return { root, [Symbol.asyncDispose]: () => rm(root, { recursive: true }) };
}

/**
 * Some of the contracts in a folder that a test may change, with what `generate` makes of them. All contracts would take four times the
 * processor time at each run; `make check` compares those.
 */
export async function generateSomeContracts(): Promise<ContractsCopy> {
  const root = await mkdtemp(join(tmpdir(), 'contracts-'));
  const copy = { root, [Symbol.asyncDispose]: () => rm(root, { recursive: true }) };
  for (const path of [
    'proto/suite/runtime',
    'proto/time',
    'proto/common',
    'proto/google',
    'buf.yaml',
    'buf.gen.yaml',
  ])
    await cp(join(checkout, path), join(root, path), { recursive: true });
  const { code, output } = await runGenerate([], root);
  if (code !== 0) throw new Error(output);
  return copy;
}
