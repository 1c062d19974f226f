/** The file types of Linux. */
export type FileKind =
  | 'fifo'
  | 'character-device'
  | 'directory'
  | 'block-device'
  | 'file'
  | 'symlink'
  | 'socket';

/** File types by the format bits of `st_mode`. */
const kinds: ReadonlyMap<number, FileKind> = new Map([
  [0o010000, 'fifo'],
  [0o020000, 'character-device'],
  [0o040000, 'directory'],
  [0o060000, 'block-device'],
  [0o100000, 'file'],
  [0o120000, 'symlink'],
  [0o140000, 'socket'],
]);
const formatMask = 0o170000;

/** Returns the type of a file; `undefined` for format bits that Linux does not use. */
export function fileKindOf(stMode: number): FileKind | undefined {
  return kinds.get(stMode & formatMask);
}

const bit = (index: number) => 2 ** index;

const goBitsOfKind: Readonly<Record<FileKind, number>> = {
  directory: bit(31),
  symlink: bit(27),
  'block-device': bit(26),
  'character-device': bit(26) + bit(21),
  fifo: bit(25),
  socket: bit(24),
  file: 0,
};
const irregular = bit(19);

/** Converts `st_mode` to the layout of Go's FileMode, as in `FileInfo.mode`. Source: Talos v1.14: List. */
export function goFileMode(stMode: number): number {
  const kind = fileKindOf(stMode);
  return (
    (kind === undefined ? irregular : goBitsOfKind[kind]) +
    ((stMode & 0o4000) === 0 ? 0 : bit(23)) +
    ((stMode & 0o2000) === 0 ? 0 : bit(22)) +
    ((stMode & 0o1000) === 0 ? 0 : bit(20)) +
    (stMode & 0o777)
  );
}
