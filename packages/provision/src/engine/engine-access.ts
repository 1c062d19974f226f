import { statSync } from 'node:fs';
import type { StackDesign } from '../domain/stack-document.ts';

const defaultSocket = '/var/run/docker.sock';

/**
 * Returns the socket at which a container reaches its own engine, and the socket's group. If this machine's
 * client uses a unix socket, it is that one. Otherwise it is the default path; on virtual machines that run
 * an engine for another host, this socket belongs to root.
 *
 * @param variables the environment variables that select the engine
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
