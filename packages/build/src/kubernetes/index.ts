export * from './build-progress.ts';
export * from './check-room.ts';
export * from './end-to-end-parts.ts';
export * from './ensure-kubernetes.ts';
export * from './parts.ts';
