import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { kubernetesNodeImage } from '@nodewright/build';

/** How a tutorial is run here. */
export interface TutorialRun {
  /** Why it is not run. */
  readonly skip?: string;
  /** Milliseconds for each of its steps. */
  readonly timeoutMs?: number;
  /** Whether its commands run in the checkout itself, because they build there. */
  readonly inCheckout?: boolean;
}

const longMs = 600_000;
/** An upgrade and its way back are three starts of a machine. Beside other work a step took 17 minutes. */
const upgradeMs = 1_800_000;
/** An image of machines whose root has to be built first, on a machine that is busy. */
const buildMs = 2_400_000;

/** What a tutorial can need, as `<!-- needs: … -->` in its text. CI builds none of it before the suite with the tutorials. */
const needs: Readonly<Record<string, (checkout: string) => TutorialRun>> = {
  /** Nothing but time: resets and elections. */
  minutes: () => ({ timeoutMs: longMs }),
  /** The programs that `make build` needs. */
  build: () => ({ timeoutMs: longMs, inCheckout: true }),
  machine: (checkout) => ({ ...withMachine(checkout), timeoutMs: longMs }),
  upgrade: (checkout) => ({
    ...withArtefact(checkout),
    ...withMachine(checkout),
    ...{ timeoutMs: upgradeMs, inCheckout: true },
  }),
  // It builds two images and boots one, which takes a quarter of an hour: only where somebody asks for it.
  image: (checkout) => ({
    ...withMachine(checkout),
    ...(process.env.LONG_TUTORIALS ? {} : { skip: 'takes a quarter of an hour: set LONG_TUTORIALS=1' }),
    ...{ timeoutMs: buildMs, inCheckout: true },
  }),
  kubernetes: (checkout) => ({
    ...withProgram(checkout, 'kubernetes/kubectl', 'make kubernetes'),
    timeoutMs: longMs,
  }),
  kubelets: (checkout) => ({
    ...withProgram(checkout, 'kubernetes/kubectl', 'make kubernetes'),
    ...withNodeImage(),
    timeoutMs: longMs,
  }),
  upstream: (checkout) => ({
    ...withProgram(checkout, 'upstream-talosctl', 'make upstream-client'),
    timeoutMs: longMs,
  }),
  /** What the project does not start: another company's machines or programs. */
  outside: () => ({ skip: 'is not run, as its text says' }),
  jaeger: (checkout) => withProgram(checkout, 'jaeger/jaeger', 'make jaeger'),
};

/** @throws Error for an unknown need */
export function needsOf(name: string | undefined, checkout: string): TutorialRun {
  if (name === undefined) return {};
  const find = Object.hasOwn(needs, name) ? needs[name] : undefined;
  if (find === undefined)
    throw new Error(`a tutorial needs ${name}, but can need only one of ${Object.keys(needs).join(', ')}`);
  return find(checkout);
}

function withMachine(checkout: string): TutorialRun {
  const hasAll =
    existsSync('/usr/bin/qemu-system-x86_64') && existsSync(join(checkout, '_out/image/disk.raw'));
  return hasAll ? {} : { skip: 'needs an emulator and make image' };
}

function withArtefact(checkout: string): TutorialRun {
  const hasArtefact = existsSync(join(checkout, '_out/upgrade-images/v1.14.1/installer.tar'));
  return hasArtefact ? {} : { skip: 'needs make upgrade-image VERSION=v1.14.1' };
}

function withNodeImage(): TutorialRun {
  const { status } = spawnSync('docker', ['image', 'inspect', kubernetesNodeImage], { stdio: 'ignore' });
  return status === 0 ? {} : { skip: 'needs a Docker engine, make images and make node-image KUBERNETES=1' };
}

function withProgram(checkout: string, path: string, verb: string): TutorialRun {
  return existsSync(join(checkout, '_out/tools', path)) ? {} : { skip: `needs what ${verb} builds` };
}
