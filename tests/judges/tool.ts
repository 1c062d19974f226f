// How the program of a judge is found, and what installs it.
import { accessSync, constants, globSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
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

/** A list or a program of this project. */
interface OwnTool {
  readonly kind: 'own';
}

export type Tool = InstalledTool | PythonTool | GoTool | OwnTool;

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

/** Debian keeps programs of administrators there, where the PATH of a user does not lead. */
const administratorFolders = ['/usr/local/sbin', '/usr/sbin', '/sbin'];

/** The tool on this machine. @throws ToolMissing */
export async function findTool(tool: Tool, path: string = process.env.PATH ?? ''): Promise<FoundTool> {
  if (tool.kind === 'own') return { path: '', version: 'of this checkout' };
  if (tool.kind === 'go') return findGoTool(tool.program);
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

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
