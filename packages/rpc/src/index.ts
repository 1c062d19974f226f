export { annotateRequest, keepOutOfLog } from './log-middleware.ts';
export * from './reloading-server-credentials.ts';
export * from './rpc-client.ts';
export * from './rpc-server.ts';
export type * from './rpc-service.ts';
export { openUnixPath, type UnixPath } from './unix-path.ts';
