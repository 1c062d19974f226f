// The state of a link as its driver sees it. Layouts: <linux/ethtool.h>.
import type { NativeCalls } from '../native-calls.ts';
import { type AskDriver, askDriver, driverQuestion } from './ask-driver.ts';

/** The state of a link. What the driver does not report is undefined. */
export interface LinkState {
  /** Whether the link has a carrier. */
  readonly hasLink: boolean | undefined;
  readonly speedMbit: number | undefined;
  /** `DUPLEX_*` and `PORT_*`. */
  readonly duplex: number | undefined;
  readonly port: number | undefined;
}

const commands = { link: 0xa, linkSettings: 0x4c } as const;
const settingsHeaderBytes = 48;
const wordsOffset = 15;
const unknownSpeed = 0xffff_ffff;

/** The state of the link `name`. */
export function readLinkState(calls: NativeCalls, name: string): LinkState {
  return askDriver(calls, name, (ask) => {
    const link = ask(driverQuestion(commands.link, 8));
    return {
      hasLink: link && link.readUInt32LE(4) !== 0,
      ...(askSettings(ask) ?? { speedMbit: undefined, duplex: undefined, port: undefined }),
    };
  });
}

/** The first call returns the length of the masks, the second one the data. */
function askSettings(ask: AskDriver): Pick<LinkState, 'speedMbit' | 'duplex' | 'port'> | undefined {
  const first = ask(driverQuestion(commands.linkSettings, settingsHeaderBytes));
  if (first === undefined) return undefined;
  const words = -first.readInt8(wordsOffset);
  if (words <= 0) return undefined;
  const second = driverQuestion(commands.linkSettings, settingsHeaderBytes + 3 * 4 * words);
  second.writeInt8(words, wordsOffset);
  const settings = ask(second);
  if (settings === undefined) return undefined;
  const speed = settings.readUInt32LE(4);
  return {
    speedMbit: speed === unknownSpeed ? undefined : speed,
    duplex: settings.readUInt8(8),
    port: settings.readUInt8(9),
  };
}
