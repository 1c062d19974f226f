export type * from './client-watch.ts';
export * from './resource-message.ts';
export * from './state-client.ts';
export * from './state-service.ts';
