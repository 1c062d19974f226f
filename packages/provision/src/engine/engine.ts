import { Fault } from '@nodewright/fault';
import { clusterVariable } from '../domain/owned-process.ts';
import { askEngine } from './ask-engine.ts';
import { dockerBytes } from './docker-bytes.ts';
import { dockerLines } from './docker-lines.ts';
import {
  type DockerCallOptions,
  type DockerResult,
  outcomeOf,
  type TryDocker,
  tryDocker,
} from './run-docker.ts';

/** The Docker engine of a cluster, used through this machine's `docker` command. */
export interface Engine {
  /** Runs a command and returns its result. Does not throw when the command fails. */
  readonly ask: TryDocker;
  /**
   * Runs a command and returns its output. Throws a Fault `unavailable` with the last line of its error
   * output.
   */
  run(args: readonly string[], options?: DockerCallOptions): Promise<string>;
  /**
   * Yields the output of a command line by line, until it ends or the signal is aborted. Does not throw when
   * the command fails.
   */
  lines(args: readonly string[], signal: AbortSignal): AsyncGenerator<string>;
  /**
   * Yields the output of a command as it arrives. Leaving the loop ends the command.
   *
   * @throws Fault `unavailable` with the last line of its error output
   */
  bytes(args: readonly string[], signal: AbortSignal): AsyncGenerator<Uint8Array>;
}

/** The environment variables that select the engine and the credentials for it. */
const engineVariableNames = [
  'DOCKER_HOST',
  'DOCKER_CONTEXT',
  'DOCKER_CONFIG',
  'DOCKER_TLS_VERIFY',
  'DOCKER_CERT_PATH',
] as const;

/**
 * Returns these variables of an environment. They are stored with the cluster, so that later commands use the
 * same engine.
 */
export function engineVariables(environment: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    engineVariableNames.flatMap((name) => {
      const value = environment[name];
      return value === undefined || value === '' ? [] : [[name, value] as const];
    }),
  );
}

export interface EngineInit {
  readonly environment: NodeJS.ProcessEnv;
  /** The stored variables of the cluster, which alone select the engine. */
  readonly variables: Readonly<Record<string, string>>;
  /** The cluster's folder, set in the environment of each command, as for all processes of the cluster. */
  readonly folder?: string;
  readonly docker?: TryDocker;
}

export function openEngine({ environment, variables, folder, docker = tryDocker }: EngineInit): Engine {
  const unset = Object.fromEntries(engineVariableNames.map((name) => [name, undefined]));
  const own: NodeJS.ProcessEnv = {
    ...environment,
    ...unset,
    ...variables,
    ...(folder === undefined ? {} : { [clusterVariable]: folder }),
  };
  const ask = (args: readonly string[], options?: DockerCallOptions): Promise<DockerResult> =>
    docker(args, { environment: own, ...options });
  return {
    ask,
    lines: (args, signal) => dockerLines(args, { environment: own, signal }),
    bytes: (args, signal) => dockerBytes(args, { environment: own, signal }),
    run: async (args, options) => outcomeOf(args, await ask(args, options), options?.signal),
  };
}

/** Throws a Fault `failed-precondition` with one line of advice if the engine cannot run a cluster. */
export async function requireEngine(engine: Engine): Promise<void> {
  const answer = await askEngine(engine.ask);
  if (answer.state !== 'ready') throw new Fault('failed-precondition', answer.advice);
}

/** Throws a Fault `failed-precondition` that names the missing images and the command that builds them. */
export async function requireImages(engine: Engine, images: readonly string[], verb: string): Promise<void> {
  const format = ['--format', '{{range .RepoTags}}{{.}} {{end}}'];
  const { stdout } = await engine.ask(['image', 'inspect', ...format, ...images]);
  const there = new Set(stdout.split(/\s+/));
  const missing = images.filter((image) => !there.has(image));
  if (missing.length === 0) return;
  throw new Fault(
    'failed-precondition',
    `images are missing: ${missing.join(', ')} (build them with: ${verb})`,
  );
}
