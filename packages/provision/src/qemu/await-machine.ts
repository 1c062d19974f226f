import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault, faultFrom } from '@nodewright/fault';
import { readLivePid } from '../cluster/cluster-processes.ts';
import type { Creation } from '../cluster/creation.ts';
import { bootFailure } from '../domain/boot-failure.ts';
import { bootPhases } from '../machine/boot-phases.ts';
import type { MachineConsole } from './machine-console.ts';
import type { QemuParts } from './qemu-parts.ts';

/** Emulation on a loaded host is slow. A machine that cannot become ready is recognised long before. */
const bootTimeoutMs = 600_000;
const pollMs = 250;
const longPhaseMs = 30_000;
const attemptTimeoutMs = 5_000;

/** How the API of a machine answers: to everybody, or only to clients with a certificate of the cluster. */
export type ApiMode = 'maintenance' | 'configured';

export interface AwaitedMachine {
  readonly creation: Creation<QemuParts>;
  readonly node: string;
  /** `host:port` of the machine's API. */
  readonly api: string;
  readonly talosconfig: string;
  readonly console: MachineConsole;
}

/**
 * Waits until a machine that was just started answers, with one step per phase of its boot. The API is called as well
 * when a phase takes long, because a configuration can change what the console shows.
 */
export async function awaitBoot(machine: AwaitedMachine): Promise<ApiMode> {
  const { creation, node, console } = machine;
  const deadline = performance.now() + bootTimeoutMs;
  let mode: ApiMode | undefined;
  for (const { name, endsWith } of bootPhases) {
    if (endsWith === undefined || mode !== undefined) continue;
    let nextCallAt = performance.now() + longPhaseMs;
    await creation.progress.step(`${node}: ${name}`, () =>
      poll(machine, deadline, async () => {
        if (endsWith.test(console.text())) return true;
        if (performance.now() < nextCallAt) return undefined;
        mode = await askMode(machine);
        nextCallAt = performance.now() + longPhaseMs;
        return mode === undefined ? undefined : true;
      }),
    );
  }
  return creation.progress.step(`${node}: API`, () =>
    poll(machine, deadline, async () => mode ?? (await askMode(machine))),
  );
}

/** Waits until a machine that got its configuration accepts the administrator of the cluster. */
export async function awaitConfigured(machine: AwaitedMachine): Promise<void> {
  const deadline = performance.now() + bootTimeoutMs;
  await poll(machine, deadline, async () => ((await askMode(machine)) === 'configured' ? true : undefined));
}

/** Returns `undefined` while the API does not answer. */
export async function askMode({ creation, api, talosconfig }: AwaitedMachine): Promise<ApiMode | undefined> {
  const { parts, signal } = creation;
  const attempt = () => AbortSignal.any([signal, AbortSignal.timeout(attemptTimeoutMs)]);
  try {
    using maintenance = await parts.openMaintenance(api, []);
    await maintenance.check(attempt());
    return 'maintenance';
  } catch {
    // Not in maintenance, or not ready: the administrator's certificate shows which.
  }
  try {
    await using probe = await parts.openProbe(talosconfig);
    await probe.version(api, undefined, attempt());
    return 'configured';
  } catch {
    return undefined;
  }
}

/** Repeats until `ask` has a result. Throws a Fault when the emulator ends or the machine cannot become ready. */
async function poll<T>(
  { creation, node, console }: AwaitedMachine,
  deadline: number,
  ask: () => Promise<T | undefined>,
): Promise<T> {
  const { folder, signal } = creation;
  const log = folder.nodeLog(node);
  for (;;) {
    signal.throwIfAborted();
    const result = await ask();
    if (result !== undefined) return result;
    const advice = bootFailure(console.text());
    if (advice !== undefined)
      throw new Fault('failed-precondition', `${node} cannot start: ${advice} (console: ${log})`);
    if (readLivePid(folder, folder.supervisorPid) === undefined) throw await emulatorEnded(creation, node);
    if (performance.now() > deadline) {
      const text = `${node} is not ready after ${bootTimeoutMs / 1000} s: see its console (${log})`;
      throw new Fault('deadline-exceeded', text);
    }
    await sleep(pollMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

/** The error for a machine whose emulator does not run any more. */
export async function emulatorEnded({ folder }: Pick<Creation, 'folder'>, node: string): Promise<Fault> {
  const text = await readFile(folder.supervisorLog, 'utf8').catch(
    (error: unknown) => faultFrom(error).message,
  );
  const last = text.trimEnd().split('\n').at(-1) || 'it printed nothing';
  const logs = `${folder.supervisorLog}; console: ${folder.nodeLog(node)}`;
  return new Fault('unavailable', `the machine ${node} has ended: ${last} (${logs})`);
}
