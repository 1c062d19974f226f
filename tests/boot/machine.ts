// A machine for tests: an emulated computer with a disk image, its console in a file, and its API on a loopback port.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  addedWords,
  emptyVariables,
  firmware,
  firmwareBoot,
  freePort,
  kernelBoot,
  machineHardware,
} from '@nodewright/provision/machine';
import { eventually } from '@nodewright/testkit';
import {
  enrolCertificate,
  type PlainVariable,
  storeVariables,
} from '../../rootfs/secure-boot/variable-store.ts';

export const imageFolder = join(import.meta.dirname, '..', '..', '_out', 'image');
const emulator = 'qemu-system-x86_64';

/** Why machines cannot be started here; false when they can. In CI nothing is skipped. */
export const noMachine: string | false = reasonForNone();

function reasonForNone(): string | false {
  if (process.env.CI === 'true') return false;
  if (process.arch !== 'x64') return 'the tests of machines need an x86-64 machine';
  if (spawnSync(emulator, ['--version']).status !== 0)
    return `${emulator} is missing: install qemu-system-x86`;
  if (![...Object.values(firmware), emptyVariables].every((path) => existsSync(path)))
    return 'the UEFI firmware is missing: install ovmf';
  if (!existsSync(join(imageFolder, 'disk.raw'))) return 'there is no disk image: run make image';
  return false;
}

export interface MachineInit {
  /** Default: the disk image. `none` for a machine without a disk. */
  readonly disk?: string;
  /** Whether the machine changes the file; by default its changes are lost when it ends. */
  readonly keepsDisk?: boolean;
  /** An existing file in which every write and flush of the disk is recorded; the disk itself is changed then. */
  readonly writeLog?: string;
  /** More disks, by their serial numbers. Their changes are lost unless `keepsDisk` is set. */
  readonly moreDisks?: Readonly<Record<string, string>>;
  /** A file with the contents of the CD in its drive, from which it starts first. */
  readonly medium?: string;
  /** Number of slots for devices that are added while the machine runs, `slot0` and so on. */
  readonly slots?: number;
  /** Whether it has a USB controller, whose bus is `usb.0`. */
  readonly hasUsb?: boolean;
  /** Whether it has a screen, in addition to its serial port. */
  readonly hasScreen?: boolean;
  /** Whether it has a hardware watchdog, which restarts it. */
  readonly hasWatchdog?: boolean;
  /** Default: 2. */
  readonly processors?: number;
  /** Whether a machine that restarts boots again; by default it is off then. */
  readonly restarts?: boolean;
  /**
   * A tap device that is its network, its address there, and QEMU's name of its network device; by default it has the emulator's own network,
   * and virtio.
   */
  readonly network?: {
    readonly tapDevice: string;
    readonly address: string;
    readonly networkDevice?: string;
  };
  /** More tap devices, each of which is one more network. */
  readonly moreTaps?: readonly string[];
  /** The time of its clock when it is switched on, in UTC such as `2020-01-01T00:00:00`; by default this host's. */
  readonly clock?: string;
  readonly boot:
    | { readonly kind: 'bios' }
    | { readonly kind: 'uefi' }
    /** UEFI firmware with the certificate of the image, which adds these words to the kernel's command line. */
    | {
        readonly kind: 'secure-boot';
        readonly words?: readonly string[];
        /** Variables that the firmware has besides. */
        readonly variables?: readonly PlainVariable[];
      }
    /** Boots the kernel of the image directly, with these words added to its command line. */
    | { readonly kind: 'kernel'; readonly words?: readonly string[]; readonly commandLine?: string };
}

export interface Machine extends AsyncDisposable {
  /** Everything that the console has shown. */
  readonly console: () => string;
  /** Waits until the console shows the text. Fails with the end of the console. */
  readonly shows: (pattern: RegExp, timeoutMs?: number) => Promise<void>;
  /** Waits until the machine is off. A machine that restarts counts as off. */
  readonly isOff: (timeoutMs?: number) => Promise<void>;
  /** Presses the power button. */
  readonly pressPower: () => Promise<void>;
  readonly pressControlAltDelete: () => Promise<void>;
  /** Sends a command to the monitor of the emulator, which changes the hardware. */
  readonly order: (command: string) => Promise<void>;
  /** The text that the memory of its screen holds: rows of 80 characters, one after the other, also those that were scrolled. */
  readonly screen: () => Promise<string>;
  /** Writes what its screen shows as a PNG. */
  readonly screenshot: (path: string) => Promise<void>;
  /** `<address>:<port>` of the machine's API: a port of 127.0.0.1, or the machine's own with a network of its own. */
  readonly api: string;
}

/** The text memory of a VGA screen: each character has a byte, and one for its colour. */
const screenAt = '0xb8000';
const screenBytes = 32 * 1024;

const attempts = 3;
const initTimeoutMs = 600_000;
const reachesInit = /Run \/init as init process/;
const panics = /Kernel panic/;

/** Starts a machine that may never reach the init: its firmware or its boot loader may refuse to start the kernel. */
export const switchOn = (init: MachineInit): Promise<Machine> => startOnce(init);

/**
 * Starts a machine, and waits until its kernel runs the init. Emulation makes it ten times slower than a real one, or more
 * beside other work. QEMU 7.2 runs stale code now and then while the kernel changes its own (`Oops: int3`). A kernel that
 * panics before the init has not read the disk and says nothing about it, so such a start is repeated; a later crash counts.
 */
export async function startMachine(init: MachineInit): Promise<Machine> {
  for (let attempt = 1; ; attempt += 1) {
    const machine = await startOnce(init);
    try {
      await machine.shows(new RegExp(`${reachesInit.source}|${panics.source}`), initTimeoutMs);
    } catch (error) {
      await machine[Symbol.asyncDispose]();
      throw error;
    }
    const console = machine.console();
    if (reachesInit.test(console)) return machine;
    await machine[Symbol.asyncDispose]();
    if (attempt === attempts) throw new Error(`the kernel does not reach the init:\n${console.slice(-4000)}`);
  }
}

async function startOnce({
  disk,
  keepsDisk = false,
  writeLog,
  moreDisks = {},
  medium,
  slots = 0,
  hasUsb = false,
  hasScreen = false,
  hasWatchdog = false,
  processors,
  restarts = false,
  network,
  moreTaps = [],
  clock,
  boot,
}: MachineInit): Promise<Machine> {
  const folder = mkdtempSync(join(tmpdir(), 'machine-'));
  const log = join(folder, 'console');
  const monitor = join(folder, 'monitor');
  const port = await freePort();
  const image = disk ?? join(imageFolder, 'disk.raw');
  const hardware = {
    ...{ keepsDisk, writeLog, restarts, apiPort: port, ...network },
    ...(processors === undefined ? {} : { processors }),
  };
  const words = [
    ...machineHardware({ ...hardware, disk: image === 'none' ? undefined : image }),
    ...(clock === undefined ? [] : ['-rtc', `base=${clock}`]),
    ...Object.entries(moreDisks).flatMap((one) => extraDisk(one, keepsDisk)),
    ...(medium === undefined ? [] : mediumOptions(medium)),
    ...moreTaps.flatMap(tapOptions),
    ...Array.from({ length: slots }, (_, index) => slotOptions(index)).flat(),
    ...(hasScreen ? ['-vga', 'std'] : []),
    ...(hasWatchdog ? ['-device', 'i6300esb', '-action', 'watchdog=reset'] : []),
    ...(hasUsb ? ['-device', 'qemu-xhci,id=usb'] : []),
    ...['-serial', `file:${log}`, '-monitor', `unix:${monitor},server,nowait`, ...bootOptions(boot, folder)],
  ];
  const child = spawn(emulator, words, { stdio: ['ignore', 'ignore', 'pipe'] });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const text = () => (existsSync(log) ? readFileSync(log, 'latin1') : '') + errors;
  const wait = (what: string, condition: () => boolean, timeoutMs: number) =>
    eventually(condition, {
      what,
      timeoutMs,
      explain: () => `the console ends with:\n${text().slice(-4000)}`,
    });
  const ask = async (command: string) => {
    const socket = connect(monitor);
    await once(socket, 'connect');
    let answer = '';
    socket.setEncoding('latin1').on('data', (text: string) => {
      answer += text;
    });
    socket.end(`${command}\n`);
    await once(socket, 'close');
    return answer;
  };
  const order = async (command: string) => void (await ask(command));
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  return {
    console: text,
    shows: (pattern, timeoutMs = 600_000) =>
      wait(`${pattern} on the console`, () => pattern.test(text()), timeoutMs),
    isOff: (timeoutMs = 600_000) => wait('the end of the machine', hasEnded, timeoutMs),
    order,
    async screenshot(path) {
      // The answer repeats the command, and says more only when it has failed.
      const answer = await ask(`screendump ${path} -f png`);
      if (!existsSync(path)) throw new Error(`the emulator writes no picture: ${answer}`);
    },
    screen: async () => textOfScreen(await ask(`xp /${screenBytes}xb ${screenAt}`)),
    pressPower: () => order('system_powerdown'),
    pressControlAltDelete: () => order('sendkey ctrl-alt-delete'),
    api: network === undefined ? `127.0.0.1:${port}` : `${network.address}:50000`,
    async [Symbol.asyncDispose]() {
      await end(child, hasEnded);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** @param dump lines such as `00000000000b8000: 0x20 0x07 0x41 0x07` */
function textOfScreen(dump: string): string {
  const bytes = [...dump.matchAll(/^[0-9a-f]+:((?: 0x[0-9a-f]{2})+)\s*$/gm)].flatMap(([, row = '']) =>
    row.trim().split(' ').map(Number),
  );
  return Buffer.from(bytes.filter((_, at) => at % 2 === 0)).toString('latin1');
}

function enrol(variables: string, added: readonly PlainVariable[]): void {
  const certificate = readFileSync(join(imageFolder, 'secure-boot.crt'));
  const enrolled = enrolCertificate(readFileSync(variables), certificate);
  writeFileSync(variables, storeVariables(enrolled, added));
}

/** Only code in system management mode may write the variables then. */
const lockedVariables = ['-machine', 'smm=on', '-global', 'driver=cfi.pflash01,property=secure,value=on'];

/** A drive of SATA, as servers show a medium of their remote console. */
const mediumOptions = (path: string) => [
  ...['-drive', `if=none,id=medium,media=cdrom,readonly=on,format=raw,file=${path}`],
  ...['-device', 'ide-cd,drive=medium,bootindex=0'],
];

function extraDisk([serial, path]: [string, string], keepsDisk: boolean): string[] {
  return [
    ...['-drive', `file=${path},if=none,id=${serial},format=raw${keepsDisk ? '' : ',snapshot=on'}`],
    ...['-device', `virtio-blk-pci,drive=${serial},serial=${serial},num-queues=1`],
  ];
}

function tapOptions(tapDevice: string, index: number): string[] {
  const mac = `52:54:00:00:01:${(index + 1).toString(16).padStart(2, '0')}`;
  return [
    ...['-netdev', `tap,id=more${index},ifname=${tapDevice},script=no,downscript=no`],
    ...['-device', `virtio-net-pci,netdev=more${index},romfile=,mac=${mac}`],
  ];
}

/** A root port, into which a device can be put while the machine runs. */
function slotOptions(index: number): string[] {
  return ['-device', `pcie-root-port,id=slot${index},chassis=${index + 1},slot=${index + 1}`];
}

async function end(child: ChildProcess, hasEnded: () => boolean): Promise<void> {
  if (hasEnded()) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

function bootOptions(boot: MachineInit['boot'], folder: string): string[] {
  if (boot.kind === 'bios') return [];
  if (boot.kind === 'uefi' || boot.kind === 'secure-boot') {
    const variables = join(folder, 'variables.fd');
    copyFileSync(emptyVariables, variables);
    if (boot.kind === 'secure-boot') enrol(variables, boot.variables ?? []);
    return [
      ...firmwareBoot(boot.kind, variables),
      ...(boot.kind === 'secure-boot' ? [...lockedVariables, ...addedWords(boot.words ?? [])] : []),
    ];
  }
  const embedded = readFileSync(join(imageFolder, 'cmdline.txt'), 'utf8').trim();
  const commandLine = [boot.commandLine ?? embedded, ...(boot.words ?? [])].join(' ');
  return kernelBoot(imageFolder, commandLine);
}
