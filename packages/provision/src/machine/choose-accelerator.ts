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

/** What QEMU prints first when KVM cannot run a guest. */
const internalError = 'KVM internal error';
const answerPort = 0xf4;
const answer = 0x10;
/** QEMU's device isa-debug-exit ends the emulator with this code when the guest writes the value. */
const answeredCode = (answer << 1) | 1;

/**
 * The program of the boot sector, which the firmware loads at 0x7c00. It enters the mode of a 64-bit kernel, because a KVM that emulates
 * a part of the instructions passes in the mode of the firmware and fails in a kernel: its decompression uses BMI2.
 */
const bootProgram = [
  'fa 31c0 8ed8 8ec0 8ed0 bc007c', // cli; no segments; a stack below the program
  'bf0010 b90018 fc f3ab', // clear three tables of pages, at 0x1000, 0x2000 and 0x3000
  '66c706001003200000 66c706002003300000 66c706003083000000', // each points to the next; the last maps the first 2 MiB
  '0f20e0 6683c820 0f22e0', // CR4: physical address extension
  '66b800100000 0f22d8', // CR3: the first table
  '66b9800000c0 0f32 660d00010000 0f30', // EFER: long mode
  '0f0116987c', // lgdt: the table of segments at the end
  '0f20c0 660d01000080 0f22c0', // CR0: protection and paging
  'ea697c0800', // jump to the next line as 64-bit code
  'b807000000 31c9 0fa2', // cpuid, leaf 7
  'f7c300010000 7405 c4e2f1f7c0', // with BMI2: shlx rax, rax, rcx
  `b0${answer.toString(16)} e6${answerPort.toString(16)}`, // the answer
  'f4 ebfd 6690', // halt
  '0000000000000000 00000000009a2000', // segments: none, and 64-bit code
  '0f00 887c0000', // size and address of that table
];

/** A disk whose boot sector writes the answer to the port of the device, and halts. The firmware does not boot from one sector alone. */
export function bootDisk(): Buffer {
  const disk = Buffer.alloc(1 << 20);
  disk.set(Buffer.from(bootProgram.join('').replaceAll(' ', ''), 'hex'));
  disk.set([0x55, 0xaa], 510);
  return disk;
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
    // QEMU keeps a guest that KVM cannot run, for a debugger.
    if (errors.includes(internalError)) child.kill('SIGKILL');
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
    if (errors.includes(internalError)) return 'KVM cannot run an instruction of a test guest';
    if (isLate) return `a test guest did not answer within ${timeoutMs / 1000} s`;
    const [line = ''] = errors.trim().split('\n');
    return `a test guest failed: ${line.replace(/^qemu-system-\w+: /, '') || `exit code ${code}`}`;
  } finally {
    clearTimeout(timer);
  }
}
