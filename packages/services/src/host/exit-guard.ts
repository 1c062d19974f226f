/**
 * Kills child processes when this process exits without having stopped them: after a crash they would hold
 * ports and sockets. It cannot act on SIGKILL; then the program that started this process must end its
 * process group.
 */
export interface ExitGuard extends Disposable {
  /** Guards `pid` until the returned function is called. */
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
        // It ended by itself at the same moment.
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
      // Does nothing unless this process exits without stopping them, as in a forced reboot.
      killAll();
    },
  };
}
