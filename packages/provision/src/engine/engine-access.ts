import { statSync } from 'node:fs';
import type { StackDesign } from '../domain/stack-document.ts';

const defaultSocket = '/var/run/docker.sock';

/**
 * How a container reaches its own engine: by the socket that this machine's client uses where it is one of a local engine,
 * else by the usual one, which belongs to root in the machines that run engines for others.
 *
 * @param variables that say which engine is meant
 */
export function engineAccess(
  variables: Readonly<Record<string, string>>,
): Pick<StackDesign, 'engineSocket' | 'engineGroup'> {
  const [, given] = /^unix:\/\/(.+)$/.exec(variables.DOCKER_HOST ?? '') ?? [];
  const engineSocket = given ?? defaultSocket;
  try {
    return { engineSocket, engineGroup: String(statSync(engineSocket).gid) };
  } catch {
    return { engineSocket, engineGroup: '0' };
  }
}
