export * from './inet6-test-server.ts';
export * from './real-messages.ts';
export * from './test-server.ts';
