export { MemoryBootLoader, type MemoryBootLoaderInit } from './memory-boot-loader.ts';
