export * from './ensure-etcd.ts';
export * from './etcd-release.ts';
export * from './fetch-release.ts';
export * from './go-programs.ts';
