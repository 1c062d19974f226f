import { execFileSync, spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { drawTerminal, type TerminalFrame } from './draw-terminal.ts';
import { type MachineScreen, takeMachineScreen } from './machine-screens.ts';
import type { PictureName } from './picture-list.ts';
import { pictureList } from './picture-list.ts';
import { privateParts } from './private-text.ts';
import { takeScreenshot } from './screenshot.ts';
import { TerminalSession } from './terminal-session.ts';

/** The name of the cluster that the pictures show. */
export const clusterName = 'demo';
/** An address of its own, so that a Jaeger of somebody else is not disturbed. */
const jaegerAddress = '127.0.0.77';

export interface PictureShop {
  readonly checkout: string;
  /** Where the files of the pictures are written. */
  readonly folder: string;
  /** The environment of the terminals. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Makes one picture of the running cluster. @returns why it was left out; undefined when it was made */
export type Maker = (shop: PictureShop) => Promise<string | undefined>;

const upCommand = `make up PROVISIONER=process cluster=${clusterName}`;
const nodes = 'node01,node02,node03,node04';

/** In the order in which they are made. The first one creates the cluster. */
export const makers: Readonly<Record<PictureName, Maker>> = {
  'make-up': async (shop) => {
    const size = { columns: 100, rows: 38 };
    await using terminal = await openTerminal(shop, size);
    const frames = await terminal.record(async () => {
      await terminal.type(upCommand);
      await terminal.waitFor(/vote in etcd after [\s\S]*make down .*\n\$ $/, 600_000);
    });
    return writeTerminal(shop, 'make-up', size, frames);
  },
  dashboard: async (shop) => {
    const size = { columns: 120, rows: 36 };
    await using terminal = await openTerminal(shop, size);
    await terminal.type(`bin/talosctl -n ${nodes} dashboard -d 1s`);
    await terminal.waitFor(/● node04/);
    // Before the node has listed its services there is only one log.
    await terminal.waitFor(/apid +Running/);
    // The kernel's log is that of the machine that makes the pictures: the log of all services is not.
    await terminal.press('[');
    await sleep(4000);
    await terminal.waitFor(/Logs of all services/);
    return writeTerminal(shop, 'dashboard', size, [await terminal.frame()]);
  },
  heal: async (shop) => {
    const size = { columns: 100, rows: 26 };
    await using terminal = await openTerminal(shop, size);
    await terminal.type(`bin/talosctl -n ${nodes} dashboard -d 500ms`);
    await terminal.waitFor(/● node04/);
    await terminal.press('7');
    await terminal.waitFor(/3 of 3 voters answer/);
    await sleep(10_000);
    const frames = await terminal.record(async () => {
      await sleep(3000);
      killNode(shop, 'node03');
      await terminal.waitFor(/2 of 3 voters answer/);
      await terminal.waitFor(/● node03 [\s\S]*3 of 3 voters answer/);
      await sleep(5000);
    });
    return writeTerminal(shop, 'heal', size, frames);
  },
  'dry-run': async (shop) => {
    const size = { columns: 100, rows: 10 };
    await using terminal = await openTerminal(shop, size);
    await terminal.type('bin/talosctl -n node01,node02 reboot --dry-run');
    await terminal.waitFor(/nothing was done\n\$ $/);
    return writeTerminal(shop, 'dry-run', size, [await terminal.frame()]);
  },
  trace: async (shop) => {
    if (!hasJaeger(shop)) return 'there is no Jaeger: make jaeger builds it';
    const size = { columns: 116, rows: 10 };
    await using terminal = await openTerminal(shop, size);
    await terminal.type('bin/talosctl -n node02 memory');
    await terminal.waitFor(/node02 .*\n\$ $/);
    await terminal.type(`node tools/pictures/print-trace.ts http://${jaegerAddress}:16686 'talosctl memory'`);
    await terminal.waitFor(/machined: machine[\s\S]*\n\$ $/);
    return writeTerminal(shop, 'trace', size, [await terminal.frame()]);
  },
  page: async (shop) => {
    const words = ['-n', nodes, 'ui', '--no-browser', '-o', 'json'];
    const talosctl = spawn(join(shop.checkout, 'bin', 'talosctl'), words, {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      const { address, token } = JSON.parse(await firstDocument(talosctl.stdout)) as Record<string, string>;
      const url = `${address}#token=${token}`;
      await takeScreenshot({
        ...pageOf(shop, 'page', 1100, 720),
        url,
        shows: 'checks passed',
        settleMs: 10_000,
      });
    } finally {
      talosctl.kill();
    }
    return undefined;
  },
  documentation: async (shop) => {
    execFileSync('node', ['tools/docs.ts'], { cwd: shop.checkout });
    const url = `file://${join(shop.checkout, '_out', 'docs', 'errors.html')}`;
    await takeScreenshot({ ...pageOf(shop, 'documentation', 1100, 720), url, shows: 'Messages' });
    return undefined;
  },
  'machine-trial': async (shop) => takeMachineScreen(screenOf(shop, 'machine-trial', 'trial')),
  'machine-back': async (shop) => takeMachineScreen(screenOf(shop, 'machine-back', 'back')),
};

function screenOf({ checkout, folder }: PictureShop, name: PictureName, moment: MachineScreen['moment']) {
  const path = join(folder, pictureList[name].file);
  // The machine mounts its own root at /root while it starts. What is below that folder counts.
  const check = (text: string) => refusePrivate(name, text.replaceAll(/\/root(?![\w/])/g, ''));
  return { checkout, moment, path, check };
}

function pageOf({ folder }: PictureShop, name: PictureName, width: number, height: number) {
  const path = join(folder, pictureList[name].file);
  return { path, width, height, check: (text: string) => refusePrivate(name, text) };
}

/** The first JSON document that a program prints. */
async function firstDocument(output: Readable): Promise<string> {
  let text = '';
  for await (const chunk of output) {
    text += String(chunk);
    if (/^\}$/m.test(text)) return text;
  }
  throw new Error(`the program ended after ${JSON.stringify(text)}`);
}

/** Starts Jaeger where it was built. @returns what ends it */
export function startJaeger(shop: Pick<PictureShop, 'checkout'>): Disposable {
  if (!hasJaeger(shop)) return { [Symbol.dispose]() {} };
  const jaeger = spawn(jaegerPath(shop), {
    stdio: 'ignore',
    env: { PATH: process.env.PATH, JAEGER_LISTEN_HOST: jaegerAddress },
  });
  return { [Symbol.dispose]: () => void jaeger.kill() };
}

/** The variables by which nodes and commands send their traces to it. */
export const tracingVariables = (shop: Pick<PictureShop, 'checkout'>): Readonly<Record<string, string>> =>
  hasJaeger(shop) ? { OTEL_EXPORTER_OTLP_ENDPOINT: `http://${jaegerAddress}:4318` } : {};

const jaegerPath = ({ checkout }: Pick<PictureShop, 'checkout'>) =>
  join(checkout, '_out', 'tools', 'jaeger', 'jaeger');
const hasJaeger = (shop: Pick<PictureShop, 'checkout'>) => existsSync(jaegerPath(shop));

function openTerminal(
  { checkout, environment }: PictureShop,
  size: { readonly columns: number; readonly rows: number },
): Promise<TerminalSession> {
  const redact = (text: string) => text.replaceAll(checkout, '~/nodewright');
  return TerminalSession.open({ ...size, cwd: checkout, environment, redact });
}

/** As a power cut would: machined of the node and everything that it has started. */
function killNode({ checkout }: PictureShop, name: string): void {
  const words = ['cluster', 'show', '--name', clusterName, '-o', 'json'];
  const shown = JSON.parse(execFileSync(join(checkout, 'bin', 'talosctl'), words, { encoding: 'utf8' })) as {
    readonly nodes: readonly { readonly name: string; readonly pid?: number }[];
  };
  const pid = shown.nodes.find((node) => node.name === name)?.pid;
  if (pid === undefined) throw new Error(`${name} has no process`);
  process.kill(pid, 'SIGKILL');
}

function writeTerminal(
  { folder }: PictureShop,
  name: PictureName,
  size: { readonly columns: number; readonly rows: number },
  frames: readonly TerminalFrame[],
): undefined {
  const texts = frames.flatMap(({ lines }) => lines.map((line) => line.map(({ text }) => text).join('')));
  refusePrivate(name, texts.join('\n'));
  const { file, says } = pictureList[name];
  writeFileSync(join(folder, file), drawTerminal({ title: says, ...size, frames }));
  return undefined;
}

function refusePrivate(name: string, text: string): void {
  const found = privateParts(text);
  if (found.length > 0)
    throw new Error(`the picture ${name} would show what it must not: ${[...new Set(found)].join(', ')}`);
}
