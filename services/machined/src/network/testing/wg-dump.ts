// What `wg show all dump` says, which judges what the planner has done. Source: wg(8).
import { type KernelWireguard, keyFromText, presharedKeyDigest } from '@nodewright/linux/network';

const none = '(none)';
const orEmpty = (text = '') => (text === none ? '' : text);
const orZero = (text = '') => (text === 'off' ? 0 : Number(text));

/** The devices by the names of their links, in the form in which they are compared. */
export function devicesOfDump(text: string): ReadonlyMap<string, KernelWireguard> {
  const devices = new Map<string, KernelWireguard>();
  for (const line of text.split('\n').filter((each) => each !== '')) {
    const [name = '', ...words] = line.split('\t');
    const device = devices.get(name);
    if (device === undefined) devices.set(name, deviceOf(words));
    else devices.set(name, { ...device, peers: [...device.peers, peerOf(words)].sort(byKey) });
  }
  return devices;
}

const byKey = (a: { readonly publicKey: string }, b: { readonly publicKey: string }) =>
  a.publicKey < b.publicKey ? -1 : 1;

function deviceOf([, publicKey, listenPort, mark]: readonly string[]): KernelWireguard {
  const isUnset = publicKey === undefined || publicKey === none || /^A{43}=$/.test(publicKey);
  return {
    publicKey: isUnset ? '' : publicKey,
    ...{ listenPort: Number(listenPort), firewallMark: orZero(mark), peers: [] },
  };
}

function peerOf(words: readonly string[]): KernelWireguard['peers'][number] {
  const [publicKey = '', preshared, endpoint, allowed, , , , keepalive] = words;
  const key = keyFromText(orEmpty(preshared));
  return {
    ...{ publicKey, endpoint: orEmpty(endpoint), keepaliveSeconds: orZero(keepalive) },
    presharedKeyDigest: key === undefined ? '' : presharedKeyDigest(key),
    allowedIps: orEmpty(allowed)
      .split(',')
      .filter((prefix) => prefix !== '')
      .sort(),
  };
}
