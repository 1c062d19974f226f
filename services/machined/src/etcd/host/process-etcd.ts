import { Fault } from '@nodewright/fault';
import { runProgram } from '@nodewright/linux';
import { createProcessRunner, type ProcessRunnerInit } from '@nodewright/services';
import { childEnvironment } from '../../base/domain/child-environment.ts';
import type { EtcdRuntime } from '../domain/etcd-runtime.ts';
import { type EtcdVersion, etcdVersionFrom } from '../domain/etcd-version.ts';
import { restoreArguments } from '../domain/restore-arguments.ts';
import { restoreData } from './restore-data.ts';

export interface ProcessEtcdInit
  extends Pick<ProcessRunnerInit, 'workingDirectory' | 'log' | 'guard' | 'watcher' | 'cgroup'> {
  /** Absolute. */
  readonly etcd: string;
  /** Absolute. */
  readonly etcdutl: string;
  /** Paths on this host. */
  readonly folders: { readonly data: string; readonly secrets: string; readonly snapshot: string };
  /** The environment of machined. */
  readonly environment: NodeJS.ProcessEnv;
}

/** Source: Talos v1.14: runners. */
const graceTimeoutMs = 10_000;
const versionTimeoutMs = 20_000;
/** A large database on a slow disk takes this long. */
const restoreTimeoutMs = 10 * 60_000;

/** Runs etcd as a child process of machined, from programs of this host. */
export function createProcessEtcd(init: ProcessEtcdInit): EtcdRuntime {
  const { etcd, etcdutl, folders, environment, workingDirectory, log, guard, watcher, cgroup } = init;
  const childEnvironment = etcdEnvironment(environment);
  let version: EtcdVersion | undefined;
  return {
    usesImage: false,
    paths: folders,
    async version(signal) {
      // Only a success is cached: a missing program may be installed later.
      version ??= await askVersion(etcd, childEnvironment, signal);
      return version;
    },
    createRunner: (args) =>
      createProcessRunner({
        ...{ workingDirectory, log, guard, watcher, cgroup, graceTimeoutMs },
        argv: [etcd, ...args],
        environment: () => childEnvironment,
      }),
    restore: (restore, signal) =>
      restoreData({ data: folders.data }, (draft) =>
        runProgram({
          argv: [etcdutl, ...restoreArguments(restore, { snapshot: folders.snapshot, data: draft })],
          environment: childEnvironment,
          timeoutMs: restoreTimeoutMs,
          signal,
        }),
      ),
  };
}

async function askVersion(
  etcd: string,
  environment: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<EtcdVersion> {
  const argv = [etcd, '--version'];
  const output = await runProgram({ argv, environment, timeoutMs: versionTimeoutMs, signal });
  const version = etcdVersionFrom(output);
  if (version === undefined)
    throw new Fault('failed-precondition', `"${etcd}" is not etcd: --version printed no etcd version`);
  return version;
}

/** etcd refuses to start when a variable and a flag set the same option, so its own variables are removed too. */
function etcdEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(childEnvironment(environment)).filter(
    ([name]) => name === 'ETCD_UNSUPPORTED_ARCH' || !name.startsWith('ETCD_'),
  );
  return Object.fromEntries(kept);
}
