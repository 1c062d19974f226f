// Upgrades a machine and writes what its screen shows then, for the pictures of the documentation: `node tests/boot/long/show-screen.ts
// trial|back <target>` writes `<target>.png`, and the text of the screen as `<target>.txt`. The machine starts by BIOS, so its screen is text.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { unpackTools } from '../../../rootfs/workshop.ts';
import { serveLayout } from '../layout-registry.ts';
import { startUpgradable } from '../upgradable-machine.ts';
import { openWorkplace } from '../use-machine.ts';
import { makeBrokenImage } from './broken-images.ts';

const checkout = join(import.meta.dirname, '..', '..', '..');
/** Beside other work an emulated machine takes minutes for each of its starts. */
const startMs = 1_800_000;
const columns = 80;

interface Moment {
  /** Makes the layout of the new system in the folder. */
  readonly makeLayout: (folder: string) => Promise<string>;
  /** What the console shows then. Both the console and the screen have the lines of the kernel's log and of the state. */
  readonly shows: RegExp;
  /** How long the screen may be later than the console. */
  readonly settleMs: number;
}

const good = join(checkout, '_out', 'upgrade-images', 'v1.14.1', 'layout');

const moments: Readonly<Record<string, Moment>> = {
  /** The new system works, and has just been started. Later its lines are scrolled away. */
  trial: {
    makeLayout: async () => good,
    shows: /slot B is tried: the watchdog softdog .*switching to the root file system/s,
    settleMs: 0,
  },
  /** It has no init, so its kernel panics. The old system was started again, and is ready. */
  back: {
    async makeLayout(folder) {
      const tools = await unpackTools({ checkout, work: join(folder, 'tools'), architecture: 'amd64' });
      const broken = join(folder, 'broken');
      makeBrokenImage('kernel panics', tools, good, broken);
      return broken;
    },
    shows:
      /state: running, ready\s+\S+ waits for: the system in slot B failed its trial\b.*\s+\S+ waits for: .*it stopped before its machined ran/,
    settleMs: 3000,
  },
};

const [name = '', target = ''] = parseArgs({ allowPositionals: true }).positionals;
const moment = Object.hasOwn(moments, name) ? moments[name] : undefined;
if (moment === undefined || target === '') throw new Error('usage: show-screen.ts trial|back <target>');
await writeScreen(moment, target);

async function writeScreen({ makeLayout, shows, settleMs }: Moment, path: string): Promise<void> {
  using workplace = openWorkplace();
  await using registry = await serveLayout(await makeLayout(workplace.folder));
  await using upgradable = await startUpgradable(workplace, registry, {
    ...{ boot: { kind: 'bios' }, hasScreen: true },
  });
  const { machine } = upgradable;
  await upgradable.upgrade('registry.test/installer:v1.14.1');
  await machine.shows(shows, startMs);
  await sleep(settleMs);
  await machine.screenshot(`${path}.png`);
  const text = await machine.screen();
  writeFileSync(
    `${path}.txt`,
    text.replaceAll(new RegExp(`.{${columns}}`, 'gs'), (row) => `${row.trimEnd()}\n`),
  );
}
