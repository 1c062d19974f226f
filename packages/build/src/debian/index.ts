export * from './archives.ts';
export * from './package-lock.ts';
export * from './unpack-packages.ts';
