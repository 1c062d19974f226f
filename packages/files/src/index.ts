export * from './link-target.ts';
export * from './lock-file.ts';
export * from './make-folder.ts';
export * from './prepare-socket.ts';
export * from './shown-path.ts';
export * from './unix-path.ts';
export * from './write-file-atomically.ts';
