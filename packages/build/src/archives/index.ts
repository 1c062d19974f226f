export * from './tar.ts';
