/**
 * Kills child processes when this process ends without having stopped them: after a crash they would hold ports and
 * sockets. Nothing helps against SIGKILL; then whoever started this process ends its process group.
 */
export interface ExitGuard extends Disposable {
  /** Takes `pid` into care until the returned function is called. */
  watch(pid: number): () => void;
}

export function openExitGuard(
  host: NodeJS.EventEmitter = process,
  kill: typeof process.kill = process.kill,
): ExitGuard {
  const pids = new Set<number>();
  const killAll = () => {
    for (const pid of pids) {
      try {
        kill(pid, 'SIGKILL');
      } catch {
        // It ended by itself in the same moment.
      }
    }
  };
  host.on('exit', killAll);
  return {
    watch(pid) {
      pids.add(pid);
      return () => pids.delete(pid);
    },
    [Symbol.dispose]() {
      host.off('exit', killAll);
      // Nothing, unless this process ends without stopping them, as a forced reboot does.
      killAll();
    },
  };
}
