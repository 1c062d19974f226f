import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

// The parts of google.protobuf.FileDescriptorSet, in JSON, that the reference shows.
export interface FieldDescriptor {
  readonly name: string;
  readonly number: number;
  readonly label: 'LABEL_OPTIONAL' | 'LABEL_REPEATED' | 'LABEL_REQUIRED';
  /** `TYPE_UINT32`. */
  readonly type: string;
  /** The full name of a message or an enumeration, with a dot in front. */
  readonly typeName?: string;
}

export interface EnumDescriptor {
  readonly name: string;
  readonly value: readonly { readonly name: string; readonly number: number }[];
}

export interface MessageDescriptor {
  readonly name: string;
  readonly field?: readonly FieldDescriptor[];
  readonly nestedType?: readonly MessageDescriptor[];
  readonly enumType?: readonly EnumDescriptor[];
  readonly options?: { readonly mapEntry?: boolean };
}

export interface MethodDescriptor {
  readonly name: string;
  readonly inputType: string;
  readonly outputType: string;
  readonly clientStreaming?: boolean;
  readonly serverStreaming?: boolean;
}

export interface FileDescriptor {
  readonly name: string;
  readonly package: string;
  readonly messageType?: readonly MessageDescriptor[];
  readonly enumType?: readonly EnumDescriptor[];
  readonly service?: readonly { readonly name: string; readonly method: readonly MethodDescriptor[] }[];
  readonly sourceCodeInfo: {
    readonly location: readonly {
      readonly path?: readonly number[];
      readonly leadingComments?: string;
      readonly trailingComments?: string;
    }[];
  };
}

/** The contracts of the checkout `root` with their comments, as the pinned buf reads them. */
export async function contractDescriptors(root: string): Promise<readonly FileDescriptor[]> {
  const folder = await mkdtemp(join(tmpdir(), 'descriptors-'));
  try {
    const path = join(folder, 'descriptors.json');
    const buf = join(root, 'node_modules', '.bin', 'buf');
    await promisify(execFile)(buf, ['build', '--as-file-descriptor-set', '--output', path], {
      cwd: root,
      env: { ...process.env, BUF_CACHE_DIR: join(root, '_out', 'buf') },
    });
    const { file } = JSON.parse(await readFile(path, 'utf8')) as { file: FileDescriptor[] };
    return file;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The comments of a file by the path of what they describe: the comment above it, else the one beside it. */
export function commentsOf(file: FileDescriptor): (path: readonly number[]) => string {
  const comments = new Map(
    file.sourceCodeInfo.location.map(({ path = [], leadingComments, trailingComments }) => [
      path.join('.'),
      (leadingComments ?? trailingComments ?? '').trim(),
    ]),
  );
  return (path) => comments.get(path.join('.')) ?? '';
}
