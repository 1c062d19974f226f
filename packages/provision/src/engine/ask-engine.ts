import { type DockerResult, type TryDocker, tryDocker } from './run-docker.ts';

/** The result of a check for a Docker engine. `advice` is one line that tells the user what to do. */
export type EngineAnswer =
  | { readonly state: 'ready'; readonly engine: string; readonly compose: string }
  | {
      readonly state: 'no-client' | 'absent' | 'refused' | 'too-old' | 'no-compose';
      readonly advice: string;
    };

/** The first versions with all features that a stack uses. */
const leastApi = '1.41';
const leastEngine = '20.10';
/** The first version with merging of fields marked `!reset`, `depends_on` with health, and `up --wait`. */
const leastCompose = '2.24';

/** Checks which engine answers, without changing anything. */
export async function askEngine(docker: TryDocker = tryDocker): Promise<EngineAnswer> {
  const [version, compose] = await Promise.all([
    docker(['version', '--format', '{{.Server.Version}} {{.Server.APIVersion}}']),
    docker(['compose', 'version', '--short']),
  ]);
  return judgeEngine(version, compose);
}

/** Interprets the results of `docker version` and `docker compose version`, without side effects. */
export function judgeEngine(version: DockerResult, compose: DockerResult): EngineAnswer {
  if (version.code === 127) {
    return {
      state: 'no-client',
      advice: `docker is not installed: install Docker Engine ${leastEngine} or later with its compose plugin`,
    };
  }
  if (version.code !== 0) return judgeRefusal(version.stderr);
  const [engine = '', api = ''] = version.stdout.trim().split(/\s+/);
  if (!isAtLeast(api, leastApi)) {
    return {
      state: 'too-old',
      advice: `the Docker engine ${engine} is too old: ${leastEngine} or later is needed`,
    };
  }
  const plugin = compose.stdout.trim().replace(/^v/, '');
  if (compose.code !== 0) {
    return {
      state: 'no-compose',
      advice: `docker has no compose plugin: install Docker Compose ${leastCompose} or later`,
    };
  }
  if (!isAtLeast(plugin, leastCompose)) {
    return {
      state: 'too-old',
      advice: `Docker Compose ${plugin} is too old: ${leastCompose} or later is needed`,
    };
  }
  return { state: 'ready', engine, compose: plugin };
}

function judgeRefusal(stderr: string): EngineAnswer {
  const place = /(?:unix|tcp|ssh|https?):\/\/[^\s"]*[^\s":.]/.exec(stderr)?.[0] ?? 'its socket';
  if (/permission denied/i.test(stderr)) {
    return {
      state: 'refused',
      advice: `the Docker engine at ${place} refuses this user: add the user to the group docker and log in again, or run as root`,
    };
  }
  return {
    state: 'absent',
    advice: `no Docker engine answers at ${place}: start it (systemctl start docker), or select another one with DOCKER_HOST`,
  };
}

function isAtLeast(version: string, least: string): boolean {
  const numbers = (text: string) => text.split(/[.+-]/).map((part) => Number.parseInt(part, 10) || 0);
  const [have, want] = [numbers(version), numbers(least)];
  for (const [index, wanted] of want.entries()) {
    const had = have[index] ?? 0;
    if (had !== wanted) return had > wanted;
  }
  return true;
}
