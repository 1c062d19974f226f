import { shareWork } from '@nodewright/async';
import type { MachineServiceImplementation } from '@nodewright/contract/gen/machine/machine.ts';
import { redactUrlPasswords } from '@nodewright/fault';
import { readPageSizeBytes, readProcesses } from '@nodewright/linux';
import type { Telemetry } from '@nodewright/telemetry';
import { inSpan } from '../../base/host/in-span.ts';

/** Processes: the processes of user space. Source: Talos v1.14: Processes. */
export function createProcesses(telemetry: Telemetry): Pick<MachineServiceImplementation, 'processes'> {
  const pageSizeBytes = readPageSizeBytes();
  // Reading all processes takes several milliseconds, and any reader may ask for them many times at once.
  const read = shareWork(() => readProcesses({ pageSizeBytes }));
  return {
    async processes() {
      const found = await inSpan(telemetry, 'read processes', read);
      const processes = found.map((info) => ({
        pid: info.pid,
        ppid: info.parentPid,
        state: info.state,
        threads: info.threads,
        cpuTime: info.cpuTimeSeconds,
        virtualMemory: info.virtualMemoryBytes,
        residentMemory: info.residentMemoryBytes,
        command: info.command,
        executable: info.executable,
        // Readers may see it.
        args: redactUrlPasswords(info.args),
        label: info.label,
      }));
      return { messages: [{ processes }] };
    },
  };
}
