import type { HostPath } from './host-path.ts';

/** An extended attribute of a file. */
export interface FileAttribute {
  readonly name: string;
  readonly data: Buffer;
}

/** The attributes of what is at a path of this machine, links not followed; none of what cannot be asked. */
export type FileAttributes = (hostPath: HostPath) => FileAttribute[];

/** Gets ready to read attributes: what that needs is loaded only when somebody asks for them. */
export type OpenAttributes = () => Promise<FileAttributes>;

export const openFileAttributes: OpenAttributes = async () => () => [];
