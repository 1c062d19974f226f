import { join } from 'node:path';
import { Fault } from '@nodewright/fault';

/** The output types of `gen config` and the default names of their files. */
export const outputFiles = {
  controlplane: 'controlplane.yaml',
  worker: 'worker.yaml',
  talosconfig: 'talosconfig',
} as const;

export type OutputType = keyof typeof outputFiles;

/** The destination of one output: a path or standard output. */
export type OutputPlace =
  | { readonly type: OutputType; readonly kind: 'file'; readonly path: string }
  | { readonly type: OutputType; readonly kind: 'stdout' };

export interface OutputRequest {
  readonly types: readonly string[];
  /** Value of `-o`; `undefined` without the flag. */
  readonly output: string | undefined;
  /** Value of `--output-dir`, which upstream deprecated in favour of `-o`. */
  readonly outputDir: string | undefined;
  readonly cwd: string;
  /** Whether the path is an existing folder. */
  readonly isFolder: (path: string) => boolean;
}

/**
 * Returns the destination of each output. With several outputs, `-o` is a folder. With one, it is a file or an existing
 * folder, and `-` is standard output.
 *
 * @throws Fault `invalid-argument` for an unknown output type and for flags that contradict each other
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
      `only one output type can be written to standard output, not ${wanted.join(', ')}`,
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
