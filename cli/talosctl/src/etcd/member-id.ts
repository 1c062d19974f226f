import { InvalidArgumentError } from 'commander';

/** The id of a member as people read and write it: 16 digits, lower-case hex. Source: Talos v1.14: etcd commands. */
export function memberIdText(id: bigint): string {
  return id.toString(16).padStart(16, '0');
}

/** The id that such a text stands for; leading zeros may be missing. */
export function parseMemberId(text: string): bigint {
  if (!/^(0x)?[\da-f]{1,16}$/i.test(text))
    throw new InvalidArgumentError('It must be a member id in hex, as "etcd members" prints it.');
  return BigInt(`0x${text.replace(/^0x/i, '')}`);
}
