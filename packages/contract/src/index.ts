export * from './build-info.ts';
export * from './limits.ts';
export * from './metadata-keys.ts';
export * from './paths.ts';
export * from './ports.ts';
export * from './roles.ts';
