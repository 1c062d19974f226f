export * from './bundle-inputs.ts';
export * from './bundles.ts';
export * from './compile-program.ts';
export * from './daemon-v8-flags.ts';
