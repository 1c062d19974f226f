import { join } from 'node:path';
import { Fault } from '@nodewright/fault';

/** What `gen config` can make, with the names of the files. */
export const outputFiles = {
  controlplane: 'controlplane.yaml',
  worker: 'worker.yaml',
  talosconfig: 'talosconfig',
} as const;

export type OutputType = keyof typeof outputFiles;

/** Where one output goes: a path, or standard output. */
export type OutputPlace =
  | { readonly type: OutputType; readonly kind: 'file'; readonly path: string }
  | { readonly type: OutputType; readonly kind: 'stdout' };

export interface OutputRequest {
  readonly types: readonly string[];
  /** Value of `-o`; undefined when it was not given. */
  readonly output: string | undefined;
  /** Value of the old `--output-dir`. */
  readonly outputDir: string | undefined;
  readonly cwd: string;
  /** Whether there is a folder at the path. */
  readonly isFolder: (path: string) => boolean;
}

/**
 * Decides where each output goes. `-o` is a folder for several outputs; for one it is the file (or a folder that is
 * there), and `-` is standard output. Throws a Fault `invalid-argument`.
 *
 * Source: Talos v1.14: gen config, output.
 */
export function outputPlaces({ types, output, outputDir, cwd, isFolder }: OutputRequest): OutputPlace[] {
  const wanted = [...new Set(types)].map(readType);
  const [only, ...others] = wanted;
  if (only === undefined) throw new Fault('invalid-argument', 'at least one output type must be given');
  if (output !== undefined && outputDir !== undefined) {
    throw new Fault(
      'invalid-argument',
      'flags --output and --output-dir mean the same: give only one of them',
    );
  }
  if (output === '-') {
    if (others.length === 0) return [{ type: only, kind: 'stdout' }];
    throw new Fault(
      'invalid-argument',
      `standard output takes one output type only, not ${wanted.join(', ')}`,
    );
  }
  if (
    output !== undefined &&
    output !== '' &&
    others.length === 0 &&
    !output.endsWith('/') &&
    !isFolder(output)
  ) {
    return [{ type: only, kind: 'file', path: output }];
  }
  const folder = output || outputDir || cwd;
  return wanted.map((type) => ({ type, kind: 'file', path: join(folder, outputFiles[type]) }));
}

function readType(text: string): OutputType {
  const known = Object.keys(outputFiles) as OutputType[];
  const type = known.find((name) => name === text);
  if (type !== undefined) return type;
  throw new Fault('invalid-argument', `unknown output type ${JSON.stringify(text)}: use ${known.join(', ')}`);
}
