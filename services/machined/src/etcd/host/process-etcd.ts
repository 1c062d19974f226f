import { Fault } from '@nodewright/fault';
import { createProcessRunner, type ProcessRunnerInit } from '../../services/host/process-runner.ts';
import type { EtcdRuntime } from '../domain/etcd-runtime.ts';
import { type EtcdVersion, etcdVersionFrom } from '../domain/etcd-version.ts';
import { restoreArguments } from '../domain/restore-arguments.ts';
import { restoreData } from './restore-data.ts';
import { runProgram } from './run-program.ts';

export interface ProcessEtcdInit
  extends Pick<ProcessRunnerInit, 'workingDirectory' | 'log' | 'guard' | 'watcher' | 'cgroup'> {
  /** Absolute. */
  readonly etcd: string;
  /** Absolute. */
  readonly etcdutl: string;
  /** Where things lie on this host. */
  readonly folders: { readonly data: string; readonly secrets: string; readonly snapshot: string };
  /** machined's own. */
  readonly environment: NodeJS.ProcessEnv;
}

/** Source: Talos v1.14: runners. */
const graceTimeoutMs = 10_000;
const versionTimeoutMs = 20_000;
/** A large database from a slow disk takes its time. */
const restoreTimeoutMs = 10 * 60_000;

/** etcd as a child process of machined, from programs of this host. */
export function createProcessEtcd(init: ProcessEtcdInit): EtcdRuntime {
  const { etcd, etcdutl, folders, environment, workingDirectory, log, guard, watcher, cgroup } = init;
  const childEnvironment = etcdEnvironment(environment);
  let version: EtcdVersion | undefined;
  return {
    usesImage: false,
    paths: folders,
    async version(signal) {
      // Not what went wrong: somebody may put the program where it is missing now.
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
      restoreData(folders.data, (draft) =>
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
  const said = await runProgram({ argv, environment, timeoutMs: versionTimeoutMs, signal });
  const version = etcdVersionFrom(said);
  if (version === undefined) throw new Fault('failed-precondition', `"${etcd}" does not say that it is etcd`);
  return version;
}

/** What machined alone is told. A variable of etcd beside its flag keeps it from starting. */
function etcdEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(environment).filter(
    ([name]) =>
      !/^(TRACEPARENT|LOG_FILE|USERDATA|MACHINED_.*|OTEL_.*)$/.test(name) &&
      (name === 'ETCD_UNSUPPORTED_ARCH' || !name.startsWith('ETCD_')),
  );
  return Object.fromEntries(kept);
}
