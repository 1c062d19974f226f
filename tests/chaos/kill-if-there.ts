/** Sends SIGKILL to a process, or to a group with a negative pid. One that has exited meanwhile is no error. */
export function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
