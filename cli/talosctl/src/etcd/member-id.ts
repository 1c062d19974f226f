import { InvalidArgumentError } from 'commander';

/** Formats a member id as 16 lower-case hexadecimal digits. Source: Talos v1.14: etcd commands. */
export function memberIdText(id: bigint): string {
  return id.toString(16).padStart(16, '0');
}

/** Parses a member id in hexadecimal, with or without leading zeros. */
export function parseMemberId(text: string): bigint {
  if (!/^(0x)?[\da-f]{1,16}$/i.test(text))
    throw new InvalidArgumentError('It must be a member id in hex, as "etcd members" prints it.');
  return BigInt(`0x${text.replace(/^0x/i, '')}`);
}
