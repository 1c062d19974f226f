export * from './real-messages.ts';
export * from './test-server.ts';
