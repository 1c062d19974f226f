export * from './domain/log-lines.ts';
export * from './domain/log-reader.ts';
export * from './domain/log-ring.ts';
export * from './host/follow-log-file.ts';
export * from './host/lines-to-log.ts';
export * from './host/log-copies.ts';
export * from './host/log-store.ts';
