// The options of `bond=`. Source: dracut.cmdline(7); Linux, bonding; Talos v1.14: kernel command line.
import { type BondMasterSpec, networkEnumerations as enums } from '@nodewright/state/kinds';
import { parsePrefix } from '../../base/domain/prefix.ts';
import { type BondFields, bondOf } from './link-documents.ts';

/** The kernel takes as many addresses of this kind. Source: Linux, bonding, `BOND_MAX_ARP_TARGETS`. */
const maxTargets = 16;

type Value = string | number | boolean | readonly string[];

interface BondOption {
  /** Its name in the document of a bond. */
  readonly key: string;
  /** @throws Error with what the value must be */
  readonly parse: (value: string) => Value;
}

interface Words {
  readonly texts: readonly string[];
  textOf(number: number): string;
}

/** A word, or the number that the kernel also takes for it. */
const word = (key: string, { texts, textOf }: Words): BondOption => ({
  key,
  parse(value) {
    if (texts.includes(value)) return value;
    if (/^\d$/.test(value) && Number(value) < texts.length) return textOf(Number(value));
    throw new Error(`one of ${texts.join(', ')}`);
  },
});
const number = (key: string, most: number): BondOption => ({
  key,
  parse(value) {
    if (/^\d{1,10}$/.test(value) && Number(value) <= most) return Number(value);
    throw new Error(`a number up to ${most}`);
  },
});
const wordsOf = (type: Words): Words => ({ texts: type.texts, textOf: (of) => type.textOf(of) });

const mostMs = 2 ** 31 - 1;
const options: Readonly<Record<string, BondOption>> = {
  mode: word('bondMode', wordsOf(enums.bondMode)),
  miimon: number('miimon', mostMs),
  updelay: number('updelay', mostMs),
  downdelay: number('downdelay', mostMs),
  arp_interval: number('arpInterval', mostMs),
  arp_ip_target: { key: 'arpIpTargets', parse: targetsOf },
  arp_validate: word('arpValidate', wordsOf(enums.arpValidate)),
  arp_all_targets: word('arpAllTargets', wordsOf(enums.arpAllTargets)),
  xmit_hash_policy: word('xmitHashPolicy', wordsOf(enums.bondXmitHashPolicy)),
  lacp_rate: word('lacpRate', wordsOf(enums.lacpRate)),
  primary: { key: 'primary', parse: (value) => value },
  primary_reselect: word('primaryReselect', wordsOf(enums.primaryReselect)),
  fail_over_mac: word('failOverMac', wordsOf(enums.failOverMac)),
  ad_select: word('adSelect', wordsOf(enums.adSelect)),
  resend_igmp: number('resendIGMP', 255),
  min_links: number('minLinks', mostMs),
  lp_interval: number('lpInterval', mostMs),
  packets_per_slave: number('packetsPerSlave', 65_535),
  // Two names of one setting.
  num_grat_arp: number('numPeerNotif', 255),
  num_unsol_na: number('numPeerNotif', 255),
  all_slaves_active: number('allSlavesActive', 1),
  use_carrier: {
    key: 'useCarrier',
    parse(value) {
      if (value === '0' || value === '1') return value === '1';
      throw new Error('0 or 1');
    },
  },
};

function targetsOf(value: string): string[] {
  const targets = value.split(';');
  const isTarget = (text: string) => parsePrefix(text)?.family === 4 && !text.includes('/');
  if (targets.length <= maxTargets && targets.every(isTarget)) return targets;
  throw new Error(`up to ${maxTargets} IPv4 addresses, with a semicolon between them`);
}

/**
 * The settings of a bond from a list such as `mode=802.3ad,miimon=100`. What it does not name has the kernel's own value.
 *
 * @param members the links of the bond, of which `primary` must be one
 * @throws Error that says which option is wrong
 */
export function parseBondOptions(list: string, members: readonly string[]): BondMasterSpec {
  const values = new Map<string, Value>();
  for (const item of list.split(',').filter((each) => each !== '')) {
    const [name = '', value = ''] = splitAtFirst(item, '=');
    const option = Object.hasOwn(options, name) ? options[name] : undefined;
    if (option === undefined) throw new Error(`"${name}" is not an option of bonds`);
    if (name === 'primary' && !members.includes(value))
      throw new Error(`primary "${value}" is not one of its links`);
    try {
      values.set(option.key, option.parse(value));
    } catch (error) {
      throw new Error(`${name} "${value}" is not ${(error as Error).message}`);
    }
  }
  return bondOf(fieldsFrom(values));
}

function fieldsFrom(values: ReadonlyMap<string, Value>): BondFields {
  const at = <T extends Value>(is: (value: unknown) => boolean, path: readonly string[]): T | undefined => {
    const value = values.get(path.join('.'));
    return is(value) ? (value as T) : undefined;
  };
  const of = (type: string) => (value: unknown) => typeof value === type;
  return {
    text: (...path) => at<string>(of('string'), path) ?? '',
    integer: (...path) => at<number>(of('number'), path),
    boolean: (...path) => at<boolean>(of('boolean'), path),
    texts: (...path) => [...(at<readonly string[]>(Array.isArray, path) ?? [])],
  };
}

export function splitAtFirst(text: string, separator: string): [string, string | undefined] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + separator.length)];
}
