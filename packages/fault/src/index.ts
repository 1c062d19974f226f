export * from './fault.ts';
export * from './fault-from.ts';
export * from './first-error-line.ts';
export * from './grpc-code.ts';
export * from './redact-url-passwords.ts';
export * from './secret.ts';
