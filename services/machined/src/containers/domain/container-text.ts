// The messages about a container in a service's history. Source: Talos v1.14: containerd runner.

/** `Containerd(etcd)`: the runtime and the id. */
export function containerRunnerText(runtime: string, id: string): string {
  return `${runtime.charAt(0).toUpperCase()}${runtime.slice(1)}(${id})`;
}

export function taskStartedText(id: string, pid: number): string {
  return `Started task ${id} (PID ${pid}) for container ${id}`;
}

export function taskSignalText(signalName: string, id: string, pid: number): string {
  return `Sending ${signalName} to task ${id} (PID ${pid}, container ${id})`;
}

/** Why a task ended unexpectedly; undefined for exit code 0. */
export function taskErrorText(id: string, code: number, lastLog: string): string | undefined {
  if (code === 0) return undefined;
  const said = lastLog === '' ? '' : ` (last log ${JSON.stringify(lastLog)})`;
  return `task ${JSON.stringify(id)} failed: exit code ${code}${said}`;
}
