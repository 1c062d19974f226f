import { Fault } from '@nodewright/fault';
import { clusterVariable } from '../domain/owned-process.ts';
import { askEngine } from './ask-engine.ts';
import { dockerLines } from './docker-lines.ts';
import {
  type DockerCallOptions,
  type DockerResult,
  outcomeOf,
  type TryDocker,
  tryDocker,
} from './run-docker.ts';

/** The Docker engine that a cluster lives in, through the client of this machine. */
export interface Engine {
  /** For questions: never throws for what the command says. */
  readonly ask: TryDocker;
  /** For orders. Throws a Fault `unavailable` with the command's last words. */
  run(args: readonly string[], options?: DockerCallOptions): Promise<string>;
  /** For what goes on: line by line, until the command ends or the signal is aborted. Never throws for what it says. */
  lines(args: readonly string[], signal: AbortSignal): AsyncGenerator<string>;
}

/** The variables that say which engine is meant, and how to get in. */
const engineVariableNames = [
  'DOCKER_HOST',
  'DOCKER_CONTEXT',
  'DOCKER_CONFIG',
  'DOCKER_TLS_VERIFY',
  'DOCKER_CERT_PATH',
] as const;

/** Those of an environment, to be kept with the cluster: later commands mean the same engine. */
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
  /** Kept with the cluster; these alone say which engine is meant. */
  readonly variables: Readonly<Record<string, string>>;
  /** The cluster's folder: what is started for it carries it, as all of its processes do. */
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
    run: async (args, options) => outcomeOf(args, await ask(args, options), options?.signal),
  };
}

/** Throws a Fault `failed-precondition`, one line that says what to do, unless the engine can run a cluster. */
export async function requireEngine(engine: Engine): Promise<void> {
  const answer = await askEngine(engine.ask);
  if (answer.state !== 'ready') throw new Fault('failed-precondition', answer.advice);
}

/** Throws a Fault `failed-precondition` that names the images which are missing and the command that makes them. */
export async function requireImages(engine: Engine, images: readonly string[]): Promise<void> {
  const format = ['--format', '{{range .RepoTags}}{{.}} {{end}}'];
  const { stdout } = await engine.ask(['image', 'inspect', ...format, ...images]);
  const there = new Set(stdout.split(/\s+/));
  const missing = images.filter((image) => !there.has(image));
  if (missing.length === 0) return;
  throw new Fault(
    'failed-precondition',
    `images are missing: ${missing.join(', ')} (make them with: make images)`,
  );
}
