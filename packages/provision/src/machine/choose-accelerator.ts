// Whether KVM works. /dev/kvm may exist and not work: where virtual machines are nested, a guest can hang, or QEMU ends.
import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Fault } from '@nodewright/fault';
import {
  type Accelerator,
  emulatorMissing,
  emulatorProgram,
  escapeComma,
  processorOptions,
} from './emulator-options.ts';

const probeTimeoutMs = 5_000;

export interface AcceleratorChoice {
  readonly accelerator: Accelerator;
  /** Why KVM is not used; undefined when it is. */
  readonly reason: string | undefined;
}

export interface ChooseInit {
  /** Default: QEMU's program, found on the PATH. */
  readonly program?: string;
  /** Default: the device of this machine. */
  readonly device?: string;
  readonly timeoutMs?: number;
}

/**
 * Chooses KVM if a tiny guest answers within 5 s, and emulation otherwise. Throws a Fault
 * `failed-precondition` when the emulator is not installed.
 */
export async function chooseAccelerator(init: ChooseInit = {}): Promise<AcceleratorChoice> {
  const { program = emulatorProgram, device = '/dev/kvm', timeoutMs = probeTimeoutMs } = init;
  const emulated = (reason: string): AcceleratorChoice => ({ accelerator: 'tcg', reason });
  try {
    accessSync(device, constants.R_OK | constants.W_OK);
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    return emulated(isMissing ? `there is no ${device}` : `${device} cannot be opened by this user`);
  }
  const folder = await mkdtemp(join(tmpdir(), 'kvm-probe-'));
  try {
    const disk = join(folder, 'disk.raw');
    await writeFile(disk, bootDisk());
    const problem = await runGuest(program, probeOptions(disk, 'kvm'), timeoutMs);
    return problem === undefined ? { accelerator: 'kvm', reason: undefined } : emulated(problem);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The options of QEMU for the probe guest. */
export function probeOptions(disk: string, accelerator: Accelerator): string[] {
  return [
    ...['-machine', 'q35', ...processorOptions[accelerator], '-smp', '2', '-m', '64'],
    ...['-nodefaults', '-no-reboot', '-display', 'none'],
    ...['-drive', `file=${escapeComma(disk)},if=ide,format=raw,snapshot=on`],
    ...['-device', `isa-debug-exit,iobase=${answerPort},iosize=1`],
  ];
}

const answerPort = 0xf4;
const answer = 0x10;
/** QEMU's device isa-debug-exit ends the emulator with this code when the guest writes the value. */
const answeredCode = (answer << 1) | 1;

/**
 * A disk whose boot sector writes the answer to the port of the device, and halts. The firmware does not boot from a
 * disk of a single sector.
 */
export function bootDisk(): Buffer {
  const sector = Buffer.alloc(1 << 20);
  // mov al, answer; out answerPort, al; hlt; jmp back to hlt
  sector.set([0xb0, answer, 0xe6, answerPort, 0xf4, 0xeb, 0xfd]);
  sector.set([0x55, 0xaa], 510);
  return sector;
}

/** Resolves to what went wrong, or to `undefined` when the guest answered. */
export async function runGuest(
  program: string,
  options: readonly string[],
  timeoutMs: number,
): Promise<string | undefined> {
  const child = spawn(program, options, { stdio: ['ignore', 'ignore', 'pipe'] });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-4096);
  });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    child.kill('SIGKILL');
  }, timeoutMs);
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  child.once('error', (error) => reject(new Fault('failed-precondition', emulatorMissing, { cause: error })));
  child.once('close', (code) => resolve(code));
  try {
    const code = await promise;
    if (code === answeredCode) return undefined;
    if (isLate) return `a test guest did not answer within ${timeoutMs / 1000} s`;
    const [line = ''] = errors.trim().split('\n');
    return `a test guest failed: ${line.replace(/^qemu-system-\w+: /, '') || `exit code ${code}`}`;
  } finally {
    clearTimeout(timer);
  }
}
