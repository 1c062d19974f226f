// How the program of a judge is found, and what installs it.
import { spawnSync } from 'node:child_process';
import { accessSync, constants, globSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { buildCaches } from '@nodewright/build/go';
import { ensureOutsideProgram, type OutsideProgramName, outsidePrograms } from '../interop/go-programs.ts';
import type { FoundTool } from './judge.ts';
import { runProgram } from './run-program.ts';

interface InstalledTool {
  readonly kind: 'installed';
  readonly command: string;
  /** What makes it print its version. */
  readonly versionWords: readonly string[];
  /** The version is its first group. */
  readonly version: RegExp;
  /** What a person types: `apt-get install gdisk`. */
  readonly install: string;
}

/** A program of PyPI, in an environment of its own. Not every one prints its version. */
interface PythonTool {
  readonly kind: 'python';
  readonly command: string;
  /** Its name in PyPI. */
  readonly distribution: string;
}

/** A program that is built from Go modules. */
interface GoTool {
  readonly kind: 'go';
  readonly program: OutsideProgramName;
}

/** A program in Rust, which is built once for each change of its packages. */
interface RustTool {
  readonly kind: 'rust';
  /** The folder of its package, below the checkout. */
  readonly folder: string;
  readonly program: string;
  /** The version of what it stands for. */
  readonly version: string;
}

/** A list or a program of this project. */
interface OwnTool {
  readonly kind: 'own';
}

export type Tool = InstalledTool | PythonTool | GoTool | RustTool | OwnTool;

/** What says how to get a tool that this machine lacks. */
export class ToolMissing extends Error {}

export const debianTool = (
  command: string,
  debianPackage: string,
  version: RegExp,
  versionWords: readonly string[] = ['--version'],
): Tool => ({
  ...{ kind: 'installed', command, versionWords, version },
  install: `apt-get install ${debianPackage}`,
});

export const pythonTool = (command: string, distribution: string): Tool => ({
  kind: 'python',
  command,
  distribution,
});

export const rustTool = (folder: string, program: string, version: string): Tool => ({
  ...{ kind: 'rust', folder, program, version },
});

/** Debian keeps programs of administrators there, where the PATH of a user does not lead. */
const administratorFolders = ['/usr/local/sbin', '/usr/sbin', '/sbin'];

/** The tool on this machine. @throws ToolMissing */
export async function findTool(tool: Tool, path: string = process.env.PATH ?? ''): Promise<FoundTool> {
  if (tool.kind === 'own') return { path: '', version: 'of this checkout' };
  if (tool.kind === 'go') return findGoTool(tool.program);
  if (tool.kind === 'rust') return findRustTool(tool);
  const install = tool.kind === 'python' ? `pipx install ${tool.distribution}` : tool.install;
  const found = [...path.split(delimiter), ...administratorFolders]
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, tool.command))
    .find(isProgram);
  if (found === undefined) throw new ToolMissing(`${tool.command}: ${install}`);
  if (tool.kind === 'python') return { path: found, version: pythonVersion(found, tool.distribution) };
  const { stdout, stderr } = await runProgram(found, tool.versionWords);
  const [, version = 'unknown'] = tool.version.exec(`${stdout}\n${stderr}`) ?? [];
  return { path: found, version };
}

/** The version in the name of the folder that describes the distribution, beside the program's libraries. */
function pythonVersion(path: string, distribution: string): string {
  const environment = dirname(dirname(realpathSync(path)));
  const name = distribution.replaceAll('-', '_');
  const [folder = ''] = globSync(`lib/python3*/site-packages/${name}-*.dist-info`, { cwd: environment });
  return (
    folder.slice(folder.lastIndexOf('-', folder.length - '.dist-info'.length) + 1, -'.dist-info'.length) ||
    'unknown'
  );
}

function findGoTool(name: OutsideProgramName): FoundTool {
  try {
    return { path: ensureOutsideProgram(name), version: outsidePrograms[name].version };
  } catch (error) {
    throw new ToolMissing(`${name}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Of the packages that others have written, and of a build of all of them. */
const rustBuildTimeoutMs = 1_800_000;

function findRustTool({ folder, program, version }: RustTool): FoundTool {
  const checkout = join(import.meta.dirname, '..', '..');
  const target = join(buildCaches(checkout, process.env).writable, 'rust', program);
  const words = ['build', '--locked', '--quiet', '--target-dir', target];
  const cwd = join(checkout, folder);
  const result = spawnSync('cargo', words, { cwd, timeout: rustBuildTimeoutMs, encoding: 'utf8' });
  if (result.error !== undefined) throw new ToolMissing('cargo: apt-get install cargo (1.85 or newer)');
  const path = join(target, 'debug', program);
  if (result.status === 0) return { path, version };
  const [reason = ''] = /^error.*/m.exec(result.stderr) ?? [];
  // A build script of one client runs it.
  if (result.stderr.includes('`protoc`')) throw new ToolMissing('protoc: apt-get install protobuf-compiler');
  throw new ToolMissing(`${program}: cargo could not build it: ${reason}`);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
