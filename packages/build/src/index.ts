export * from './architecture.ts';
export * from './cache-folder.ts';
export * from './fetch-package.ts';
export * from './node-images.ts';
